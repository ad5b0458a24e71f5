package dev.drydock.platform.http;

/** The HTTP statuses Drydock answers errors with. */
public enum HttpStatus {
  BAD_REQUEST(400),
  UNAUTHORIZED(401),
  FORBIDDEN(403),
  NOT_FOUND(404),
  METHOD_NOT_ALLOWED(405),
  CONFLICT(409),
  GONE(410),
  PAYLOAD_TOO_LARGE(413),
  UNPROCESSABLE(422),
  INTERNAL_ERROR(500),
  UNAVAILABLE(503);

  private final int code;

  HttpStatus(int code) {
    this.code = code;
  }

  /** The number on the wire. */
  public int code() {
    return code;
  }
}
