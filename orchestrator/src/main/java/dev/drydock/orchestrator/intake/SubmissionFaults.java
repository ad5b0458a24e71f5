package dev.drydock.orchestrator.intake;

import dev.drydock.api.ErrorDetail;
import dev.drydock.platform.http.ApiException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What is wrong with a submission, each fault with its field or its place in the list of hosts. */
final class SubmissionFaults {
  private static final String INFEASIBLE = "INFEASIBLE";

  private final List<ErrorDetail> all = new ArrayList<>();
  private final Set<String> codes = new LinkedHashSet<>();
  private final Map<String, String> refused = new LinkedHashMap<>();
  private final List<ErrorDetail> infeasible = new ArrayList<>();

  void add(String code, String path, String message) {
    codes.add(code);
    all.add(ApiException.detail(path, message));
  }

  /** A rule, or that there is none, stands against a host. */
  void refuse(String code, String path, String host, String reason, String message) {
    add(code, path, message);
    refused.merge(host, reason, (one, other) -> one + "; " + other);
  }

  /** By the facts of now nobody would ever grant a host. */
  void neverGranted(String path, String host, String reason) {
    refuse(INFEASIBLE, path, host, reason, host + " could never be granted: " + reason);
    infeasible.add(all.getLast());
  }

  /** Hosts that rules, or no rule, stand against, with the reason. */
  Map<String, String> refused() {
    return refused;
  }

  /**
   * Lets a submission pass that has none.
   *
   * @throws ApiException 422 with all, where the code names the fault if all are of one kind
   */
  void requireNone() {
    require(all);
  }

  /**
   * Lets one pass that has none but hosts that could never be granted.
   *
   * @throws ApiException 422 with all others
   */
  void requireNoneButInfeasible() {
    codes.remove(INFEASIBLE);
    require(all.stream().filter(fault -> !infeasible.contains(fault)).toList());
  }

  private void require(List<ErrorDetail> none) {
    if (!none.isEmpty()) {
      String code = codes.size() == 1 ? codes.iterator().next() : "INVALID_ROLLOUT";
      throw ApiException.invalid(
          code,
          "The rollout has "
              + none.size()
              + (none.size() == 1 ? " fault" : " faults")
              + "; nothing was started.",
          none);
    }
  }
}
