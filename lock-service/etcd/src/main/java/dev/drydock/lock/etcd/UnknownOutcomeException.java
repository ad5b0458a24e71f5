package dev.drydock.lock.etcd;

import org.jspecify.annotations.Nullable;

/** No answer came: the call may have had its effect, may have it later, or never. */
public final class UnknownOutcomeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UnknownOutcomeException(String what, @Nullable Throwable cause) {
    super("etcd did not answer: " + what + (cause == null ? "" : " (" + cause + ")"), cause);
  }
}
