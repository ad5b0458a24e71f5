package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.LockRecord.Stage;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.Verdict.Decision;
import dev.drydock.lock.core.txn.ControlTransactions;
import dev.drydock.lock.core.txn.GenerationCause;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Transaction;
import io.etcd.jetcd.KeyValue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The fleet brake over a real etcd: by the time it is pulled, no grant comes any more. */
@Tag("stack")
class BrakeTest {
  private static final Brake BRAKE =
      new Brake("sre", "bad kernel", Instant.parse("2026-01-01T00:00:00Z"));
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final EtcdTestBed etcdTestBed = new EtcdTestBed();
  private final Interference interference = new Interference();

  @AfterEach
  void close() {
    interference.resume.countDown();
    etcdTestBed.close();
  }

  @Test
  void grantDecidedBeforeIsRefusedAfter() throws Exception {
    EtcdLocks locks = decidedAndPaused();

    assertThat(locks.brake().pull(BRAKE)).isEqualTo(BRAKE);
    interference.resume.countDown();

    Await.until("the late grant is settled", () -> etcdTestBed.candidates.voided.contains("g1"));
    assertThat(locks.holds().table().locks()).isEmpty();
    Await.until("told", () -> BRAKE.text().equals(etcdTestBed.candidates.reasons.get("c1")));
    assertThat(locks.brake().lift(BRAKE, "sre", "kernel withdrawn")).isEmpty();
    Await.until("granted", () -> etcdTestBed.candidates.committed.containsKey("g2"));
  }

  @Test
  void controlWithoutTheNewGenerationGrantsAfterIt() throws Exception {
    EtcdLocks locks = decidedAndPaused();

    new EtcdBrake(etcdTestBed.direct(), false).pull(BRAKE);
    interference.resume.countDown();

    Await.until("granted", () -> etcdTestBed.candidates.committed.containsKey("g1"));
    assertThat(locks.holds().table().locks()).containsOnlyKeys("h1");
  }

  private EtcdLocks decidedAndPaused() throws InterruptedException {
    EtcdLocks locks =
        etcdTestBed.grantor(interference.pausingAt("grant"), Admission.exclusiveOnly());
    etcdTestBed.candidates.want("c1", "h1");
    locks.poke();
    assertThat(interference.paused.await(20, TimeUnit.SECONDS)).isTrue();
    return locks;
  }

  @Test
  void waitersHearOfItKeepTheirOrderAndWhatIsHeldCanEnd() {
    EtcdLocks locks = etcdTestBed.grantor();
    TicketClient desk = locks.desk();
    desk.submit(EtcdTestBed.ticket("held", Mode.WAIT, "h1"), MINUTE);
    Await.until("held", () -> locks.lockOn("h1").isPresent());
    etcdTestBed.candidates.want("c1", "h9");
    locks.poke();
    Await.until("granted", () -> etcdTestBed.candidates.committed.containsKey("g1"));

    locks.brake().pull(BRAKE);
    desk.submit(EtcdTestBed.ticket("first", Mode.WAIT, "h1"), MINUTE);
    desk.submit(EtcdTestBed.ticket("second", Mode.WAIT, "h1", "h2"), MINUTE);
    desk.submit(EtcdTestBed.ticket("try", Mode.TRY, "h3"), MINUTE);
    Check check = new Check("g1", Check.Kind.CONFIRM, 1, List.of("h9"));
    etcdTestBed.candidates.asked.add(check);
    locks.poke();

    Await.until("refused", () -> reason(desk, "try").contains("frozen by sre (bad kernel)"));
    Await.until("judged", () -> etcdTestBed.candidates.checked.containsKey(check));
    assertThat(etcdTestBed.candidates.verdict(check).decision()).isEqualTo(Decision.WAIT);
    assertThat(locks.lockOn("h9").orElseThrow().stage()).isEqualTo(Stage.PROVISIONAL);
    desk.leave("held", "test", "done");
    Await.until("told", () -> reason(desk, "first").contains("frozen by sre (bad kernel)"));
    assertThat(locks.lockOn("h1")).isEmpty();

    locks.brake().lift(BRAKE, "sre", "kernel withdrawn");
    Await.until("granted", () -> locks.lockOn("h1").isPresent());
    assertThat(locks.lockOn("h1").orElseThrow().id()).isEqualTo("first");
    assertThat(desk.find("second")).containsInstanceOf(RequestStatus.Waiting.class);
  }

  private static String reason(TicketClient desk, String id) {
    return switch (desk.find(id).orElseThrow()) {
      case RequestStatus.Waiting waiting -> waiting.reason();
      case RequestStatus.Over over -> over.note().reason();
      case RequestStatus.Held held -> "";
    };
  }

  @Test
  void lostAnswersAreSettledAndAPulledBrakeIsNotPulledByAnother() {
    EtcdLocks locks = etcdTestBed.open(interference.losingAnswerOf("freeze"));
    assertThat(locks.brake().pull(BRAKE)).isEqualTo(BRAKE);
    assertThat(interference.spent()).isTrue();

    Brake other = new Brake("web", "mine", Instant.EPOCH);
    assertThat(locks.brake().pull(other)).as("the one in force").isEqualTo(BRAKE);
    assertThat(locks.brake().read()).contains(BRAKE);

    interference.losingAnswerOf("unfreeze");
    assertThat(locks.brake().lift(BRAKE, "sre", "done")).isEmpty();
    assertThat(interference.spent()).isTrue();
    assertThat(locks.brake().read()).isEmpty();
    assertThat(locks.brake().lift(BRAKE, "sre", "again")).isEmpty();
  }

  @Test
  void whoLiftsABrakeDoesNotLiftTheNextOne() throws Exception {
    EtcdLocks locks = etcdTestBed.open(interference.pausingAt("unfreeze"));
    Brake next = new Brake("web", "bad disks", BRAKE.since().plusSeconds(1));
    locks.brake().pull(BRAKE);
    CompletableFuture<Optional<Brake>> lifting =
        CompletableFuture.supplyAsync(() -> locks.brake().lift(BRAKE, "sre", "withdrawn"));
    assertThat(interference.paused.await(20, TimeUnit.SECONDS)).isTrue();
    EtcdLocks others = etcdTestBed.open();
    others.brake().lift(BRAKE, "web", "not this one");
    others.brake().pull(next);
    interference.resume.countDown();

    assertThat(lifting.get(20, TimeUnit.SECONDS)).as("told which is in force").contains(next);
    assertThat(locks.brake().lift(BRAKE, "sre", "withdrawn")).as("repeated").contains(next);
    assertThat(locks.brake().read()).contains(next);
  }

  /** Policies, settled grants and recovery bump the generation whenever they like. */
  @Test
  void itIsPulledThoughTheRulesChangeWhileItIs() throws Exception {
    EtcdLocks locks = etcdTestBed.open(interference.pausingAt("freeze"));
    CompletableFuture<Brake> pulled =
        CompletableFuture.supplyAsync(() -> locks.brake().pull(BRAKE));
    assertThat(interference.paused.await(20, TimeUnit.SECONDS)).isTrue();
    etcdTestBed
        .direct()
        .commit(
            ControlTransactions.bumpGeneration(new GenerationCause("policy", "web", "tightened")));
    interference.resume.countDown();

    assertThat(pulled.get(20, TimeUnit.SECONDS)).isEqualTo(BRAKE);
    assertThat(locks.brake().read()).contains(BRAKE);
  }

  /** A member that stood still may pass on a request minutes later: the first try of a repeat. */
  @Test
  void aCopyThatComesAfterTheBrakeWasLiftedFreezesNobody() {
    EtcdLocks locks = etcdTestBed.open();
    Transaction copy = ControlTransactions.freeze(BRAKE, generation());
    locks.brake().pull(BRAKE);
    assertThat(locks.brake().lift(BRAKE, "sre", "kernel withdrawn")).isEmpty();

    assertThat(etcdTestBed.direct().commit(copy).isSucceeded()).isFalse();
    assertThat(locks.brake().read()).isEmpty();

    Transaction now = ControlTransactions.freeze(BRAKE, generation());
    assertThat(etcdTestBed.direct().commit(now).isSucceeded())
        .as("not for another reason")
        .isTrue();
  }

  private long generation() {
    return etcdTestBed.direct().get(new Key.Generation()).map(KeyValue::getModRevision).orElse(0L);
  }
}
