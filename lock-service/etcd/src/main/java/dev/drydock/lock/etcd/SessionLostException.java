package dev.drydock.lock.etcd;

/**
 * The lease of a program's session ran out: its locks exclude nobody any more, its tickets leave
 * the queue. Whatever it does under a lock has to end; it can open another session.
 */
public final class SessionLostException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public SessionLostException(String session) {
    super(
        "session "
            + session
            + " is lost: its lease was not renewed in time. Stop what runs under its locks, then"
            + " open another session");
  }
}
