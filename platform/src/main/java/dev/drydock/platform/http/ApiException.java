package dev.drydock.platform.http;

import dev.drydock.api.ErrorDetail;
import java.util.List;

/**
 * An expected error of a call, answered to the client as it stands. Thrown by resources and by the
 * rooms behind them; the whole submission is judged first, so that {@code details} names all that
 * is wrong with it.
 */
public final class ApiException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final HttpStatus status;
  private final String code;
  private final transient List<ErrorDetail> details;

  /**
   * An error as the client will see it.
   *
   * @param code stable word for programs, such as UNKNOWN_HOST
   * @param message one sentence for people: the field, line or object, and what to do
   */
  public ApiException(HttpStatus status, String code, String message, List<ErrorDetail> details) {
    super(message, null, false, false);
    this.status = status;
    this.code = code;
    this.details = List.copyOf(details);
  }

  /** 404: there is no such object. */
  public static ApiException notFound(String code, String message) {
    return new ApiException(HttpStatus.NOT_FOUND, code, message, List.of());
  }

  /** 409: the object has moved on, or the claim or name is somebody else's. */
  public static ApiException conflict(String code, String message) {
    return new ApiException(HttpStatus.CONFLICT, code, message, List.of());
  }

  /** 403: known, but not allowed. */
  public static ApiException forbidden(String code, String message) {
    return new ApiException(HttpStatus.FORBIDDEN, code, message, List.of());
  }

  /** 422: well-formed, but wrong; one detail per fault. */
  public static ApiException invalid(String code, String message, List<ErrorDetail> details) {
    return new ApiException(HttpStatus.UNPROCESSABLE, code, message, details);
  }

  /** One fault without a line. */
  public static ErrorDetail detail(String path, String message) {
    return new ErrorDetail().setPath(path).setMessage(message);
  }

  /** One fault in a submitted text; lines count from 1. */
  public static ErrorDetail detail(String path, int line, String message) {
    return detail(path, message).setLine(line);
  }

  public HttpStatus status() {
    return status;
  }

  public String code() {
    return code;
  }

  public String message() {
    return String.valueOf(getMessage());
  }

  public List<ErrorDetail> details() {
    return details;
  }
}
