package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.Holds.End;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.Verdict;
import dev.drydock.lock.etcd.testkit.TestEtcd;
import dev.drydock.platform.metrics.Metrics;
import io.etcd.jetcd.KeyValue;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("stack")
class HoldsOverEtcdTest {
  private final EtcdTestBed etcdTestBed = new EtcdTestBed();

  @AfterEach
  void close() {
    etcdTestBed.close();
  }

  @Test
  void holdHasNoLeaseSoThatNoTimeEndsIt() {
    EtcdLocks locks = granted("h1", "h2");
    locks.close();

    List<KeyValue> left =
        etcdTestBed.everything().stream()
            .filter(kv -> !kv.getKey().toString().contains("/grantor/"))
            .toList();

    assertThat(left)
        .extracting(kv -> kv.getKey().toString())
        .anyMatch(k -> k.endsWith("/locks/h1"));
    assertThat(left).allSatisfy(kv -> assertThat(kv.getLease()).isZero());
    assertThat(etcdTestBed.open().holds().find("g1")).hasSize(2);
  }

  @Test
  void foreignWaiterDoesNotGetTheHostWhileNoProcessRuns() {
    EtcdLocks locks = granted("h1");
    locks.desk().submit(EtcdTestBed.ticket("t1", Mode.WAIT, "h1"), Duration.ofSeconds(60));
    locks.close();

    EtcdLocks next = etcdTestBed.grantor();
    Await.until(
        "the wait is explained",
        () ->
            next.desk().find("t1").orElseThrow() instanceof RequestStatus.Waiting waiting
                && waiting.reason().contains("batch lock g1"));
    assertThat(next.lockOn("h1").orElseThrow().id()).isEqualTo("g1");
  }

  @Test
  void endLeavesTheMarkAndMayBeRepeated() {
    EtcdLocks locks = granted("h1", "h2");
    long token = locks.lockOn("h1").orElseThrow().token();
    End end = new End("g1", List.of("h1", "h2"), token, 77, "batch", "upgraded");

    assertThat(locks.holds().end(end)).isEmpty();
    assertThat(locks.holds().end(end)).as("again, as after a lost answer").isEmpty();

    assertThat(locks.holds().find("g1")).isEmpty();
    assertThat(locks.holds().table().ended().get("h2"))
        .isEqualTo(new EndedLock("h2", "g1", 77, "batch", "upgraded"));
  }

  @Test
  void endOfABatchThatDidNothingDoesNotMakeOldObservationsCountAgain() {
    EtcdLocks locks = etcdTestBed.grantor();
    etcdTestBed.marks.set(500);
    EtcdTestBed.take(locks, "t1", "h1");
    locks.desk().leave("t1", "kernel-team", "done");
    etcdTestBed.candidates.want("c1", "h1");
    locks.poke();
    Await.until("granted", () -> etcdTestBed.candidates.committed.containsKey("g1"));

    long token = locks.lockOn("h1").orElseThrow().token();
    locks.holds().end(new End("g1", List.of("h1"), token, 77, "batch", "Skipped"));

    assertThat(Objects.requireNonNull(locks.holds().table().ended().get("h1")))
        .isEqualTo(new EndedLock("h1", "g1", 501, "batch", "Skipped"));
  }

  @Test
  void endWithAnOldTokenLeavesTheNextHoldAlone() {
    EtcdLocks locks = granted("h1");
    long token = locks.lockOn("h1").orElseThrow().token();

    locks.holds().end(new End("g1", List.of("h1"), token - 1, 77, "batch", "late"));

    assertThat(locks.lockOn("h1")).isPresent();
  }

  @Test
  void quarantineStaysWhenTheBatchEndsAndKeepsItsToken() {
    EtcdLocks locks = granted("h1", "h2");
    long token = locks.lockOn("h1").orElseThrow().token();

    assertThat(locks.holds().quarantine("g1", "h2", "does not boot")).isTrue();
    assertThat(locks.holds().quarantine("g1", "h2", "does not boot")).isTrue();
    assertThat(locks.holds().quarantine("g9", "h2", "not mine")).isFalse();
    List<String> still =
        locks.holds().end(new End("g1", List.of("h1", "h2"), token, 77, "batch", "done"));

    assertThat(still).containsExactly("h2");
    assertThat(locks.lockOn("h2"))
        .hasValueSatisfying(
            lock -> {
              assertThat(lock.kind()).isEqualTo(LockRecord.Kind.QUARANTINE);
              assertThat(lock.token()).isEqualTo(token);
            });
    LockRecord quarantine = locks.lockOn("h2").orElseThrow();
    assertThat(locks.endQuarantine(quarantine, "sre", "replaced the disk")).isTrue();
    assertThat(locks.lockOn("h2")).isEmpty();
  }

  @Test
  void whoLookedAtOneQuarantineDoesNotEndTheNext() {
    EtcdLocks locks = etcdTestBed.grantor();
    EtcdTestBed.take(locks, "t1", "h1");
    locks.holds().quarantine("t1", "h1", "broken by ann");
    LockRecord looked = locks.lockOn("h1").orElseThrow();
    locks.endQuarantine(looked, "ann", "well");
    EtcdTestBed.take(locks, "t2", "h1");
    locks.holds().quarantine("t2", "h1", "does not boot");

    assertThat(locks.endQuarantine(looked, "ben", "well")).isFalse();

    assertThat(locks.lockOn("h1").map(LockRecord::id)).contains("t2");
  }

  @Test
  void hostThatIsBrokenOutOfASessionLockIsQuarantinedAndTheOthersStay() {
    EtcdLocks locks = etcdTestBed.grantor();
    EtcdTestBed.take(locks, EtcdTestBed.ticket("t1", Mode.WAIT, "h1", "h2"));
    long token = locks.lockOn("h1").orElseThrow().token();

    assertThat(locks.holds().quarantine("t1", "h2", "broken by ann")).isTrue();
    assertThat(locks.holds().quarantine("t1", "h2", "again")).isTrue();

    assertThat(locks.lockOn("h2").map(LockRecord::kind)).contains(LockRecord.Kind.QUARANTINE);
    assertThat(locks.lockOn("h1"))
        .hasValueSatisfying(
            lock -> {
              assertThat(lock.kind()).isEqualTo(LockRecord.Kind.SESSION);
              assertThat(lock.token()).isEqualTo(token);
            });
    locks.desk().leave("t1", "kernel-team", "done");
    assertThat(locks.lockOn("h1")).isEmpty();
    assertThat(locks.lockOn("h2")).as("only people end it").isPresent();
  }

  @Test
  void checksMoveTheHoldFromProvisionalToOpen() {
    EtcdLocks locks = granted("h1");
    Check early = new Check("g1", Check.Kind.OPEN, 1, List.of("h1"));
    Check confirm = new Check("g1", Check.Kind.CONFIRM, 1, List.of("h1"));
    Check open = new Check("g1", Check.Kind.OPEN, 2, List.of("h1"));
    etcdTestBed.candidates.asked.addAll(List.of(early, confirm, open));
    locks.poke();

    Await.until("all are judged", () -> etcdTestBed.candidates.checked.size() == 3);

    assertThat(etcdTestBed.candidates.verdict(early).decision()).isEqualTo(Verdict.Decision.WAIT);
    assertThat(etcdTestBed.candidates.verdict(confirm).granted()).isTrue();
    assertThat(etcdTestBed.candidates.verdict(open).granted()).isTrue();
    assertThat(locks.lockOn("h1").orElseThrow().stage()).isEqualTo(LockRecord.Stage.OPEN);
  }

  @Test
  void candidateThatWaitsTakesAPlaceInTheQueueAndGetsItsTurn() {
    EtcdLocks locks = etcdTestBed.grantor();
    EtcdTestBed.take(locks, "t1", "h1");
    etcdTestBed.candidates.want("c1", "h1");
    locks.poke();
    Await.until("the candidate waits", () -> !locks.holds().table().tickets().isEmpty());
    locks.desk().submit(EtcdTestBed.ticket("t2", Mode.WAIT, "h1"), Duration.ofSeconds(60));
    assertThat(etcdTestBed.candidates.reasons.get("c1")).contains("session lock t1");

    locks.desk().leave("t1", "kernel-team", "done");

    Await.until(
        "the candidate comes before t2", () -> etcdTestBed.candidates.committed.containsKey("g1"));
    assertThat(locks.lockOn("h1").orElseThrow().id()).isEqualTo("g1");
  }

  @Test
  void candidateIsGrantedInThePassThatRenewsItsPlace() throws Exception {
    Interference interference = new Interference();
    EtcdLocks grantor = etcdTestBed.grantor(interference, Admission.exclusiveOnly());
    EtcdLocks client = etcdTestBed.open();
    EtcdTestBed.take(client, "t1", "h1");
    etcdTestBed.candidates.want("c1", "h1");
    grantor.poke();
    Await.until("the candidate waits", () -> !client.holds().table().tickets().isEmpty());

    interference.pausingAt("read revision");
    grantor.poke();
    assertThat(interference.paused.await(20, TimeUnit.SECONDS)).isTrue();
    etcdTestBed.ahead = Duration.ofMinutes(6);
    client.desk().leave("t1", "kernel-team", "done");
    interference.resume.countDown();

    Await.until("granted", () -> etcdTestBed.candidates.committed.containsKey("g1"));
    assertThat(etcdTestBed.candidates.voided).isEmpty();
    assertThat(client.holds().table().tickets()).isEmpty();
  }

  @Test
  void refusesAnEtcdThatTakesTooFewOperationsNamingTheFlag() {
    try (TestEtcd small = TestEtcd.start()) {
      EtcdConfig config =
          new EtcdConfig(
              List.of(small.endpoint()),
              "/" + UUID.randomUUID(),
              4096,
              EtcdTestBed.LEASE,
              Duration.ofSeconds(2),
              Duration.ofSeconds(10));

      assertThatThrownBy(
              () -> EtcdLocks.open(config, () -> 1, InstantSource.system(), new Metrics()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("--max-txn-ops 4096");
    }
  }

  private EtcdLocks granted(String... hosts) {
    EtcdLocks locks = etcdTestBed.grantor();
    etcdTestBed.candidates.want("c1", hosts);
    locks.poke();
    Await.until("granted", () -> etcdTestBed.candidates.committed.containsKey("g1"));
    return locks;
  }
}
