package dev.drydock.server;

/** Why the server cannot start: one line that says what, where, and what to do. */
final class StartFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StartFailure(String message) {
    super(message, null, false, false);
  }
}
