package dev.drydock.lock.explorer;

/** A promise was broken; the message begins with the name of the rule. */
final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1;

  Violation(String message) {
    super(message);
  }
}
