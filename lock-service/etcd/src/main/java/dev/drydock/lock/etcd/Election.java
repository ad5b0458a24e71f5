package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.ControlTransactions;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.proto.clock.BootClock;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.TxnResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Elects the one grantor: whoever creates the leadership key, which lives by its lease. */
final class Election {
  private static final Logger log = LoggerFactory.getLogger(Election.class);

  private final EtcdConnection etcd;
  private final BootClock clock;
  private final String name;

  Election(EtcdConnection etcd, BootClock clock, String name) {
    this.etcd = etcd;
    this.clock = clock;
    this.name = name;
  }

  /** Tries once; empty while somebody else leads. */
  Optional<Leadership> attempt() {
    if (etcd.repeat(() -> etcd.get(new Key.Leader())).isPresent()) {
      return Optional.empty();
    }
    Duration asked = clock.sinceBoot();
    long lease = etcd.repeat(() -> etcd.grantLease(etcd.config().grantorLease()));
    String vote = name + " " + UUID.randomUUID();
    Optional<Long> fence = vote(lease, vote);
    if (fence.isEmpty()) {
      etcd.repeat(
          () -> {
            etcd.revoke(lease);
            return true;
          });
      return Optional.empty();
    }
    log.info("{} is the grantor as of revision {}", name, fence.get());
    RenewedLease kept =
        new RenewedLease(etcd, clock, "grantor", lease, etcd.config().grantorLease(), asked);
    return Optional.of(new Leadership(kept, fence.get()));
  }

  /**
   * The create revision of our leadership key, if it became ours. The vote is unique, so a lost
   * answer is read back.
   */
  private Optional<Long> vote(long lease, String vote) {
    return etcd.repeat(
        () -> {
          TxnResponse answer = etcd.commit(ControlTransactions.elect(vote, lease));
          if (answer.isSucceeded()) {
            return Optional.of(answer.getHeader().getRevision());
          }
          return answer.getGetResponses().getFirst().getKvs().stream()
              .filter(leader -> leader.getValue().equals(KeyLayout.bytes(vote)))
              .map(KeyValue::getCreateRevision)
              .findFirst();
        });
  }
}
