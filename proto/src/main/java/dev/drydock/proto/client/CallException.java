package dev.drydock.proto.client;

import dev.drydock.api.ErrorDetail;
import java.net.ConnectException;
import java.util.List;
import java.util.concurrent.ExecutionException;

/**
 * A call that did not succeed: either the server's answer (its status, stable code, sentence and
 * details), or no answer at all, which has status 0 and one of the codes below.
 *
 * <p>No answer is not "not done": the server may have done it. Only repeat what is idempotent.
 */
public final class CallException extends RuntimeException {
  /** No connection, or it broke before the answer was complete. */
  public static final String UNREACHABLE = "UNREACHABLE";

  /** No complete answer within the call's time-out. */
  public static final String TIMED_OUT = "TIMED_OUT";

  /** The calling thread was interrupted; its interrupt flag is set again. */
  public static final String INTERRUPTED = "INTERRUPTED";

  /** The server answered something that is not of the contract. */
  public static final String BAD_ANSWER = "BAD_ANSWER";

  /** The token file cannot be read. */
  public static final String NO_TOKEN = "NO_TOKEN";

  private static final long serialVersionUID = 1;

  private final int status;
  private final String code;
  private final transient List<ErrorDetail> details;

  /** An answer; public for fakes of what answers. */
  public CallException(int status, String code, String message, List<ErrorDetail> details) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = List.copyOf(details);
  }

  CallException(String code, String message, Throwable cause) {
    super(message, cause);
    this.status = 0;
    this.code = code;
    this.details = List.of();
  }

  /** HTTP status, or 0 when there was no usable answer. */
  public int status() {
    return status;
  }

  /** Stable code of the error, such as UNKNOWN_HOST. */
  public String code() {
    return code;
  }

  /**
   * Everything that is wrong with the request, in the server's order; empty when the message says
   * it all.
   */
  public List<ErrorDetail> details() {
    return details;
  }

  /** Whether it is certain that this attempt did nothing: it was refused, or reached nobody. */
  public boolean isUndone() {
    return (status >= 400 && status < 500)
        || code.equals(NO_TOKEN)
        || (getCause() instanceof ExecutionException sent
            && sent.getCause() instanceof ConnectException);
  }

  /** Whether the same idempotent call may succeed a little later. */
  public boolean isTemporary() {
    return switch (status) {
      case 0 -> code.equals(UNREACHABLE) || code.equals(TIMED_OUT);
      case 429, 502, 503, 504 -> true;
      default -> false;
    };
  }
}
