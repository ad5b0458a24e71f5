package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.LivenessRecord;
import dev.drydock.lock.core.txn.Transaction;
import dev.drydock.proto.clock.BootClock;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What a process was told once of its lease, and what etcd does about it. */
@Tag("stack")
@Execution(ExecutionMode.CONCURRENT)
class RenewedLeaseTest {
  private static final Duration LEASE = Duration.ofSeconds(5);

  private final EtcdTestBed etcdTestBed = new EtcdTestBed();
  private final BootClock clock = BootClock.system();
  private final Key.Alive key = new Key.Alive("s-1");
  private volatile Duration paused = Duration.ZERO;
  private RenewedLease lease;

  @BeforeEach
  void aKeyLivesByIt() {
    Duration asked = clock.sinceBoot();
    long id = etcdTestBed.direct().grantLease(LEASE);
    etcdTestBed
        .direct()
        .commit(Transaction.named("open").putLeased(key, new LivenessRecord(false, 5), id).build());
    BootClock pausing = () -> clock.sinceBoot().plus(paused);
    lease = new RenewedLease(etcdTestBed.direct(), pausing, "test", id, LEASE, asked);
  }

  @AfterEach
  void close() {
    lease.close();
    etcdTestBed.close();
  }

  @Test
  void isRenewedForAsLongAsItIsKept() {
    Duration twice = clock.sinceBoot().plus(LEASE.multipliedBy(2));
    Await.until("its time is long over", () -> clock.sinceBoot().compareTo(twice) > 0);

    assertThat(lease.valid()).isTrue();
    assertThat(isThere()).isTrue();
  }

  /** Nobody asked while the process stood still: etcd may have let it lapse all the same. */
  @Test
  void isNotRenewedOnceItsEndIsPast() {
    paused = LEASE;

    Await.until("it lapses", () -> !isThere());
    assertThat(lease.valid()).isFalse();
  }

  @Test
  void isNeverValidAgainOnceItWasNot() {
    paused = LEASE;
    assertThat(lease.valid()).isFalse();
    paused = Duration.ZERO;

    Await.until(
        "it lapses",
        () -> {
          assertThat(lease.valid()).isFalse();
          return !isThere();
        });
  }

  private boolean isThere() {
    return etcdTestBed.direct().get(key).isPresent();
  }
}
