package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.StoreSnapshot;
import dev.drydock.lock.core.txn.TicketTransactions;
import java.time.Duration;

/** Begins the lease and the term of a session lock that was just granted. */
final class LeaseStart {
  private LeaseStart() {}

  /** Counts both from now; false when somebody did since {@code uncounted} was read. */
  static boolean begin(EtcdConnection etcd, StoreSnapshot.Uncounted uncounted) {
    long lease = lease(etcd, uncounted.alive().value().leaseSeconds());
    int maxSeconds = uncounted.lock().maxSeconds();
    long term = maxSeconds > 0 ? lease(etcd, maxSeconds) : 0;
    return etcd.repeat(() -> etcd.commit(TicketTransactions.countLease(uncounted, lease, term)))
        .isSucceeded();
  }

  private static long lease(EtcdConnection etcd, int seconds) {
    return etcd.repeat(() -> etcd.grantLease(Duration.ofSeconds(seconds)));
  }
}
