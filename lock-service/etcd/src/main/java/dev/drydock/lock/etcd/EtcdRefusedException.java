package dev.drydock.lock.etcd;

/** etcd answered that it will not do it: no effect now or later. */
public final class EtcdRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String reason;

  EtcdRefusedException(String what, Throwable cause) {
    super("etcd refused: " + what + ": " + cause.getMessage(), cause);
    reason = String.valueOf(cause.getMessage());
  }

  /** What is wrong with the request. */
  String reason() {
    return reason;
  }
}
