package dev.drydock.adapter.staticlist;

import java.io.IOException;

/** A host could not be read, or an effect on it did not succeed. */
final class HostException extends IOException {
  /** What is known after it. */
  enum Kind {
    /** No answer: the effect may or may not have happened. */
    UNREACHABLE,
    /** The host has seen a newer token: somebody else has it. Nothing happened. */
    FENCED,
    /** The host answered: it did not work. */
    FAILED
  }

  private static final long serialVersionUID = 1;

  private final Kind kind;

  HostException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  Kind kind() {
    return kind;
  }
}
