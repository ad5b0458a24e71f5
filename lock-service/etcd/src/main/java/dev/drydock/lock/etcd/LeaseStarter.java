package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.StoreSnapshot;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins the leases of session locks that were just granted, beside the passes, which would wait
 * for three calls each. It is not part of the grant, where no put carries a lease: whichever
 * grantor comes next sees to those that were not counted.
 */
final class LeaseStarter {
  private static final Logger log = LoggerFactory.getLogger(LeaseStarter.class);

  private final EtcdConnection etcd;
  private final Set<StoreSnapshot.Uncounted> underWay = ConcurrentHashMap.newKeySet();

  LeaseStarter(EtcdConnection etcd) {
    this.etcd = etcd;
  }

  void count(Collection<StoreSnapshot.Uncounted> locks) {
    underWay.retainAll(locks);
    for (StoreSnapshot.Uncounted lock : locks) {
      if (underWay.add(lock)) {
        Thread.ofVirtual().start(() -> begin(lock));
      }
    }
  }

  private void begin(StoreSnapshot.Uncounted lock) {
    try {
      LeaseStart.begin(etcd, lock);
    } catch (EtcdRefusedException leaseGone) {
      log.info("a lock's lease ended before it was counted, and is taken anew by the next pass");
      underWay.remove(lock);
    } catch (UnknownOutcomeException unknown) {
      log.warn("a lock's lease could not be counted: {}", unknown.getMessage());
      underWay.remove(lock);
    } catch (RuntimeException | Error failed) {
      log.error("a lock's lease could not be counted", failed);
      underWay.remove(lock);
    }
  }
}
