package dev.drydock.lock.etcd;

/**
 * etcd takes no writes any more, as its quota is used up (alarm NOSPACE): what was sent had no
 * effect, and has none until people make room. Nothing is wrong with it, so it is not left out.
 */
public final class EtcdFullException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  EtcdFullException(String what, Throwable cause) {
    super(
        "etcd is full (NOSPACE) and refused: "
            + what
            + "; compact it, defragment its members and disarm the alarm: docs/etcd-full.md",
        cause);
  }
}
