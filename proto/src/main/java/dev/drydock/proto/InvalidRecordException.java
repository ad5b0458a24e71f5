package dev.drydock.proto;

import dev.drydock.api.ErrorDetail;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A JSON text that is not the record it should be; carries every fault found, not only the first.
 */
public final class InvalidRecordException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<ErrorDetail> details;

  public InvalidRecordException(String message, List<ErrorDetail> details) {
    super(
        details.isEmpty()
            ? message
            : message
                + ": "
                + details.stream()
                    .map(detail -> detail.getPath() + ": " + detail.getMessage())
                    .collect(Collectors.joining("; ")));
    this.details = List.copyOf(details);
  }

  /** One entry per fault; empty when the text is not JSON at all. */
  public List<ErrorDetail> details() {
    return details;
  }
}
