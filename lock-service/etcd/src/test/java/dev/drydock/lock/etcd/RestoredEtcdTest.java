package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Transaction;
import dev.drydock.lock.etcd.testkit.FakeCandidates;
import dev.drydock.lock.etcd.testkit.TestEtcd;
import dev.drydock.platform.metrics.Metrics;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** etcd is put back to an earlier state under a lock service that knows a later one. */
@Tag("stack")
@Execution(ExecutionMode.CONCURRENT)
class RestoredEtcdTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int REFUSED = 100;

  @Test
  void nobodyIsAnsweredFromTheCopyOfAnotherEtcd() {
    AtomicLong marks = new AtomicLong();
    try (TestEtcd etcd = TestEtcd.start("--max-txn-ops=4096");
        EtcdLocks locks =
            EtcdLocks.open(
                EtcdTestBed.config(etcd.endpoint(), "/restored/"),
                marks::incrementAndGet,
                InstantSource.system(),
                new Metrics())) {
      locks.startGrantor(Admission.exclusiveOnly(), new FakeCandidates());
      Await.until("a grantor is elected", LONG, locks::leads);
      Path copy = etcd.copy();
      locks.desk().submit(EtcdTestBed.ticket("t1", Mode.WAIT, "h1"), LONG);
      Await.until("granted", LONG, () -> EtcdTestBed.has(locks, "t1", "h1"));
      // So many that the copy does not get there in the time the rest of this takes.
      for (int i = 0; i < REFUSED; i++) {
        locks.desk().submit(EtcdTestBed.ticket("r" + i, Mode.TRY, "h1"), LONG);
      }
      etcd.putBack(copy);
      locks.desk().submit(EtcdTestBed.ticket("t2", Mode.WAIT, "h1"), LONG);
      assertThat(locks.desk().find("t1")).as("it is of another etcd").isEmpty();
      Await.until("granted there", LONG, () -> EtcdTestBed.has(locks, "t2", "h1"));
    }
  }

  /** Its revision tells nothing then: somebody who knows has to say so. */
  @Test
  void theCopyOfAnotherEtcdThatCameAsFarAgainIsThrownAwayOnceToldSo() {
    try (TestEtcd etcd = TestEtcd.start();
        EtcdConnection there =
            new EtcdConnection(
                EtcdTestBed.config(etcd.endpoint(), "/restored/"), TransactionHook.NONE);
        EtcdMirror etcdMirror = new EtcdMirror(there)) {
      etcdMirror.start();
      Path before = etcd.copy();
      write(
          there,
          Transaction.named("brake").put(new Key.Brake(), new Brake("sre", "test", Instant.EPOCH)));
      assertThat(braked(etcdMirror)).isTrue();
      etcd.putBack(before);
      for (long beat = 1; beat <= 2; beat++) {
        write(there, Transaction.named("beat").put(new Key.Beat(), beat));
      }
      assertThat(braked(etcdMirror)).as("the control: nobody said so").isTrue();
      etcdMirror.forget();
      assertThat(braked(etcdMirror)).isFalse();
    }
  }

  /** Again until the connection is back. */
  private static void write(EtcdConnection etcd, Transaction.Building what) {
    etcd.repeat(() -> etcd.commit(what.build()));
  }

  private static boolean braked(EtcdMirror etcdMirror) {
    return etcdMirror.askNow(replica -> replica.brake().isPresent());
  }
}
