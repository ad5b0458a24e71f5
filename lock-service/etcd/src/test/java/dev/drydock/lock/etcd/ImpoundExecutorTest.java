package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Candidates.Impound;
import dev.drydock.lock.core.Candidates.Replaced;
import dev.drydock.lock.core.Holds.End;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.Ticket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Hosts whose lock was lost are locked again, and never taken away from whoever has them. */
@Tag("stack")
class ImpoundExecutorTest {
  private final EtcdTestBed etcdTestBed = new EtcdTestBed();

  @AfterEach
  void close() {
    etcdTestBed.close();
  }

  @Test
  void aFreeHostIsLockedBeforeItIsGranted() {
    EtcdLocks locks = etcdTestBed.grantor();
    etcdTestBed.candidates.impounds.add(impound("g7", Kind.QUARANTINE, "h1"));
    etcdTestBed.candidates.want("c1", "h1");
    etcdTestBed.candidates.want("c2", "h2");
    locks.poke();
    Await.until("the other is granted", () -> etcdTestBed.candidates.committed.size() == 1);
    LockRecord lock = locks.lockOn("h1").orElseThrow();
    assertThat(lock.kind()).isEqualTo(Kind.QUARANTINE);
    assertThat(lock.id()).isEqualTo("g7");
    assertThat(etcdTestBed.candidates.impounded).containsEntry("h1", lock.token());
    assertThat(locks.lockOn("h2").orElseThrow().kind()).isEqualTo(Kind.BATCH);
  }

  @Test
  void whoHasTheHostKeepsIt() {
    EtcdLocks locks = etcdTestBed.grantor();
    EtcdTestBed.take(locks, "t1", "h1");
    etcdTestBed.candidates.impounds.add(impound("g7", Kind.BATCH, "h1"));
    etcdTestBed.candidates.impounds.add(impound("g8", Kind.BATCH, "h2"));
    locks.poke();
    Await.until("the free one is locked", () -> etcdTestBed.candidates.impounded.containsKey("h2"));
    assertThat(etcdTestBed.candidates.impounded).doesNotContainKey("h1");
    assertThat(EtcdTestBed.has(locks, "t1", "h1")).isTrue();
    locks.desk().leave("t1", "kernel-team", "done");
    Await.until("it is free", () -> etcdTestBed.candidates.impounded.containsKey("h1"));
    assertThat(EtcdTestBed.has(locks, "g7", "h1")).isTrue();
  }

  /** After a restore its host may be in mid-update: it is handed over to nobody who waits. */
  @Test
  void whoeverWaitsForItsHostComesAfterIt() {
    EtcdLocks locks = etcdTestBed.grantor();
    EtcdTestBed.take(locks, "t1", "h1");
    locks.desk().submit(EtcdTestBed.ticket("t2", Ticket.Mode.WAIT, "h1"), Duration.ofSeconds(60));
    etcdTestBed.candidates.impounds.add(impound("g7", Kind.BATCH, "h1"));
    etcdTestBed.candidates.impounds.add(impound("g8", Kind.BATCH, "h2"));
    locks.poke();
    Await.until("the free one is locked", () -> etcdTestBed.candidates.impounded.containsKey("h2"));
    locks.desk().leave("t1", "kernel-team", "done");
    Await.until(
        "somebody has it",
        () -> locks.lockOn("h1").filter(lock -> !lock.id().equals("t1")).isPresent());
    assertThat(locks.lockOn("h1").orElseThrow().id()).isEqualTo("g7");
  }

  @Test
  void aHoldThatStandsBecomesAQuarantineWhereThatIsWanted() {
    EtcdLocks locks = granted();
    etcdTestBed.candidates.impounds.add(impound("g1", Kind.QUARANTINE, "h1"));
    becomesAQuarantine(locks);
  }

  @Test
  void aHoldThatHasEndedByThenIsLockedAnewAsAQuarantine() {
    EtcdLocks locks = granted();
    long token = locks.lockOn("h1").orElseThrow().token();
    etcdTestBed.candidates.beforeImpounds =
        () -> {
          locks.holds().end(new End("g1", List.of("h1"), token, 77, "batch", "Skipped"));
          etcdTestBed.candidates.impounds.add(impound("g1", Kind.QUARANTINE, "h1"));
        };
    becomesAQuarantine(locks);
  }

  @Test
  void aQuarantineEndsForTheLockThatReplacesItAndNobodyComesBetween() {
    EtcdLocks locks = granted();
    locks.holds().quarantine("g1", "h1", "health failed");
    etcdTestBed.candidates.want("c2", "h1");
    etcdTestBed.candidates.impounds.add(
        new Impound(
            "g9",
            "h1",
            List.of("h1"),
            Kind.BATCH,
            Optional.of("r2"),
            "sre",
            "it is mended",
            1,
            1,
            Optional.of(new Replaced("g1", 5))));
    locks.poke();
    Await.until("replaced", () -> etcdTestBed.candidates.impounded.containsKey("h1"));
    LockRecord lock = locks.lockOn("h1").orElseThrow();
    assertThat(lock.id()).isEqualTo("g9");
    assertThat(lock.kind()).isEqualTo(Kind.BATCH);
    assertThat(etcdTestBed.candidates.impounded).containsEntry("h1", lock.token());
  }

  /** The control: a quarantine that no lock replaces stays. */
  @Test
  void anotherQuarantineStays() {
    EtcdLocks locks = granted();
    locks.holds().quarantine("g1", "h1", "health failed");
    etcdTestBed.candidates.impounds.add(
        new Impound(
            "g9",
            "h1",
            List.of("h1"),
            Kind.BATCH,
            Optional.of("r2"),
            "sre",
            "it is mended",
            1,
            1,
            Optional.of(new Replaced("g0", 5))));
    etcdTestBed.candidates.impounds.add(impound("g8", Kind.BATCH, "h2"));
    locks.poke();
    Await.until("the other is locked", () -> etcdTestBed.candidates.impounded.containsKey("h2"));
    assertThat(locks.lockOn("h1").map(LockRecord::id)).contains("g1");
  }

  private EtcdLocks granted() {
    EtcdLocks locks = etcdTestBed.grantor();
    etcdTestBed.candidates.want("c1", "h1");
    locks.poke();
    Await.until("granted", () -> etcdTestBed.candidates.committed.containsKey("g1"));
    return locks;
  }

  private void becomesAQuarantine(EtcdLocks locks) {
    locks.poke();
    Await.until("found", () -> etcdTestBed.candidates.impounded.containsKey("h1"));
    assertThat(locks.holds().find("g1"))
        .extracting(LockRecord::kind)
        .containsExactly(Kind.QUARANTINE);
  }

  private static Impound impound(String id, Kind kind, String host) {
    return new Impound(
        id, host, List.of(host), kind, Optional.of("r1"), "sre", "its hold was lost", 1, 1);
  }
}
