package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Candidates.Impound;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What goes on, and what does not, while etcd and the store of what was asked are not of one time.
 */
@Tag("stack")
class StandstillTest {
  private final EtcdTestBed etcdTestBed = new EtcdTestBed();

  @AfterEach
  void close() {
    etcdTestBed.close();
  }

  @Test
  void nothingIsGrantedButHostsAreLockedAgainAndLocksEnd() {
    EtcdLocks locks = etcdTestBed.grantor();
    EtcdTestBed.take(locks, "t1", "h1");
    etcdTestBed.candidates.agreed = false;
    int looks = etcdTestBed.candidates.looks.get();
    Await.until("the grantor looked", () -> etcdTestBed.candidates.looks.get() > looks + 1);

    etcdTestBed.candidates.want("c1", "h2");
    locks.desk().submit(EtcdTestBed.ticket("t2", Mode.WAIT, "h3"), Duration.ofSeconds(60));
    etcdTestBed.candidates.impounds.add(
        new Impound(
            "g7", "h4", List.of("h4"), Kind.BATCH, Optional.of("r1"), "sre", "was lost", 1, 1));
    locks.desk().leave("t1", "kernel-team", "done");
    locks.poke();
    Await.until("locked again", () -> EtcdTestBed.has(locks, "g7", "h4"));
    Await.until("the lock ended", () -> locks.lockOn("h1").isEmpty());
    assertThat(locks.lockOn("h2")).isEmpty();
    assertThat(locks.lockOn("h3")).isEmpty();

    // The control: it was that which kept them.
    etcdTestBed.candidates.agreed = true;
    Await.until("granted", () -> etcdTestBed.candidates.committed.size() == 1);
    Await.until("granted as well", () -> EtcdTestBed.has(locks, "t2", "h3"));
  }

  @Test
  void aBeatIsKeptUnderTheGenerationItWasWrittenUnder() {
    etcdTestBed.candidates.beating = true;
    EtcdLocks locks = etcdTestBed.grantor();
    long first = locks.time().now().generation();
    Await.until("a beat", () -> etcdTestBed.candidates.kept.containsValue(first));
    locks.generation().bump();
    long bumped = locks.time().now().generation();
    Await.until("another", () -> etcdTestBed.candidates.kept.containsValue(bumped));
    assertThat(locks.time().now().beat()).isPositive();
    assertThat(bumped).isGreaterThan(first);
  }
}
