package dev.drydock.lock.core;

/**
 * What the end of the last lock on a host left behind, written in the same transaction: under
 * {@code ended/<host>}, or of a session lock in its own record. Or that the lock there lapsed, or
 * outlived its maximum.
 *
 * @param token that of the lock when it is still there; 0 when it ended
 * @param mark observations before this mark say nothing about the host after the lock (protocol P6)
 */
public record EndedLock(
    String host, String lockId, long token, long mark, String by, String reason) {
  /** The mark of an end that nobody can read: no observation is after it. None is ever issued. */
  public static final long NEVER = Long.MAX_VALUE;

  /** The end of a lock that is gone. */
  public EndedLock(String host, String lockId, long mark, String by, String reason) {
    this(host, lockId, 0, mark, by, reason);
  }

  /** The same end on another of its hosts. */
  public EndedLock on(String other) {
    return other.equals(host) ? this : new EndedLock(other, lockId, token, mark, by, reason);
  }

  /** Whether it tells of this very lock, and not of an earlier one that had the same id. */
  public boolean isOf(LockRecord lock) {
    return lockId.equals(lock.id()) && token == lock.token();
  }
}
