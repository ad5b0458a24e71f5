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
  private final Bench bench = new Bench();

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void nothingIsGrantedButHostsAreLockedAgainAndLocksEnd() {
    EtcdLocks locks = bench.grantor();
    Bench.take(locks, "t1", "h1");
    bench.candidates.agreed = false;
    int looks = bench.candidates.looks.get();
    Await.until("the grantor looked", () -> bench.candidates.looks.get() > looks + 1);

    bench.candidates.want("c1", "h2");
    locks.desk().submit(Bench.ticket("t2", Mode.WAIT, "h3"), Duration.ofSeconds(60));
    bench.candidates.impounds.add(
        new Impound(
            "g7", "h4", List.of("h4"), Kind.BATCH, Optional.of("r1"), "sre", "was lost", 1, 1));
    locks.desk().leave("t1", "kernel-team", "done");
    locks.poke();
    Await.until("locked again", () -> Bench.has(locks, "g7", "h4"));
    Await.until("the lock ended", () -> locks.lockOn("h1").isEmpty());
    assertThat(locks.lockOn("h2")).isEmpty();
    assertThat(locks.lockOn("h3")).isEmpty();

    // The control: it was that which kept them.
    bench.candidates.agreed = true;
    Await.until("granted", () -> bench.candidates.committed.size() == 1);
    Await.until("granted as well", () -> Bench.has(locks, "t2", "h3"));
  }

  @Test
  void aBeatIsKeptUnderTheGenerationItWasWrittenUnder() {
    bench.candidates.beating = true;
    EtcdLocks locks = bench.grantor();
    long first = locks.time().now().generation();
    Await.until("a beat", () -> bench.candidates.kept.containsValue(first));
    locks.generation().bump();
    long bumped = locks.time().now().generation();
    Await.until("another", () -> bench.candidates.kept.containsValue(bumped));
    assertThat(locks.time().now().beat()).isPositive();
    assertThat(bumped).isGreaterThan(first);
  }
}
