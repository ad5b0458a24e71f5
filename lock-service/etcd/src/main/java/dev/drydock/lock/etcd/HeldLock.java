package dev.drydock.lock.etcd;

import java.util.List;
import java.util.concurrent.CompletionException;

/**
 * A session lock on some hosts. It excludes others while {@link #valid}; whoever acts under it
 * hands its token on, since a program that stands still finds out too late. Safe for use by many
 * threads.
 */
public final class HeldLock implements AutoCloseable {
  private final String id;
  private final List<String> hosts;
  private final long token;
  private final String holder;
  private final ClientSession session;
  private final Exit exit;

  HeldLock(
      String id, List<String> hosts, long token, String holder, ClientSession session, Exit exit) {
    this.id = id;
    this.hosts = hosts;
    this.token = token;
    this.holder = holder;
    this.session = session;
    this.exit = exit;
  }

  public String id() {
    return id;
  }

  public List<String> hosts() {
    return hosts;
  }

  /** Higher than that of every lock its hosts had before. */
  public long token() {
    return token;
  }

  /** Whether it certainly still excludes others. */
  public boolean valid() {
    return session.valid();
  }

  /**
   * Ends the lock; all that was done under it is done. May be repeated.
   *
   * @throws UnknownOutcomeException when etcd does not answer within its budget
   */
  public void release(String reason) {
    try {
      exit.leave(id, holder, reason).join();
    } catch (CompletionException failed) {
      throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
    }
  }

  @Override
  public void close() {
    release("done");
  }
}
