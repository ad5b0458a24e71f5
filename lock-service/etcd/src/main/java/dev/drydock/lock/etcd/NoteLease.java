package dev.drydock.lock.etcd;

import java.time.Duration;

/**
 * A lease under which notes are kept for a minute or two; shared, since a lease for each would be
 * dear. Thread-safe.
 */
final class NoteLease {
  private static final Duration KEPT_AT_LEAST = Duration.ofSeconds(60);

  private final EtcdConnection etcd;
  private long lease;
  private long until;

  NoteLease(EtcdConnection etcd) {
    this.etcd = etcd;
  }

  /** A lease that lives for another minute at least. */
  synchronized long id() {
    if (lease == 0 || System.nanoTime() - until > 0) {
      long renewal = System.nanoTime() + KEPT_AT_LEAST.toNanos();
      lease = etcd.repeat(() -> etcd.grantLease(KEPT_AT_LEAST.multipliedBy(2)));
      until = renewal;
    }
    return lease;
  }

  /** The next call takes a new lease; the last one turned out to be gone. */
  synchronized void forget() {
    lease = 0;
  }
}
