package dev.drydock.orchestrator.subscriptions.api;

import dev.drydock.api.ErrorDetail;
import dev.drydock.platform.http.ApiException;
import java.util.List;

/** What is wrong with a call, told all at once. */
final class CallFaults {
  private CallFaults() {}

  /**
   * Nothing was found.
   *
   * @throws ApiException 422 with all faults
   */
  static void require(List<ErrorDetail> faults) {
    if (!faults.isEmpty()) {
      ErrorDetail first = faults.getFirst();
      throw ApiException.invalid(
          "INVALID_REQUEST", first.getPath() + " " + first.getMessage(), faults);
    }
  }
}
