package dev.drydock.server;

/** What lies at the bottom of an exception. */
final class RootCause {
  private static final int DEPTH_MAX = 16;

  private RootCause() {}

  /** The message of the first cause, in one line. */
  static String deepest(Throwable thrown) {
    Throwable deepest = thrown;
    for (int depth = 0; depth < DEPTH_MAX && deepest.getCause() != null; depth++) {
      deepest = deepest.getCause();
    }
    String message = deepest.getMessage() == null ? deepest.toString() : deepest.getMessage();
    return message.lines().findFirst().orElse("").strip();
  }
}
