package dev.drydock.lock.etcd;

import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.txn.Replica;
import java.util.List;
import java.util.concurrent.CompletionException;

/**
 * A session lock on some hosts. It excludes others while {@link #valid}; whoever acts under it
 * hands its token on, since a program that stands still finds out too late. Safe for use by many
 * threads.
 */
public final class HeldLock implements AutoCloseable {
  private final Grant grant;
  private final ClientSession session;
  private final Mirror mirror;
  private final Exit exit;

  /** What was granted. */
  record Grant(String id, List<String> hosts, long token, String holder) {}

  HeldLock(Grant grant, ClientSession session, Mirror mirror, Exit exit) {
    this.grant = grant;
    this.session = session;
    this.mirror = mirror;
    this.exit = exit;
  }

  public String id() {
    return grant.id();
  }

  public List<String> hosts() {
    return grant.hosts();
  }

  /** Higher than that of every lock its hosts had before. */
  public long token() {
    return grant.token();
  }

  /**
   * Whether it still excludes others on all its hosts: until its lease ends, unless it was ended or
   * taken away before, which this knows as soon as etcd tells of it.
   */
  public boolean valid() {
    return session.valid() && mirror.ask(this::stands);
  }

  private boolean stands(Replica replica) {
    return grant.hosts().stream()
        .allMatch(host -> replica.lockOn(host).filter(lock -> ours(replica, lock)).isPresent());
  }

  private boolean ours(Replica replica, LockRecord lock) {
    return lock.id().equals(grant.id())
        && lock.token() == grant.token()
        && lock.kind() == Kind.SESSION
        && !replica.expired(lock);
  }

  /**
   * Ends the lock; all that was done under it is done. May be repeated.
   *
   * @throws UnknownOutcomeException when etcd does not answer within its budget
   */
  public void release(String reason) {
    try {
      exit.leave(grant.id(), grant.holder(), reason).join();
    } catch (CompletionException failed) {
      throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
    }
  }

  @Override
  public void close() {
    release("done");
  }
}
