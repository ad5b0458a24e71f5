package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.Decision.Kind;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Mend;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.testkit.BatchScript;
import dev.drydock.orchestrator.core.testkit.Batches;
import dev.drydock.orchestrator.core.testkit.JobBuilder;
import dev.drydock.orchestrator.core.testkit.Repaired;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A host on which nothing was begun comes back, whatever ended badly there. */
class UntouchedHostsTest {

  private static BatchScript begin(OnHostFailure policy, String... hosts) {
    Batches batch = Batches.of(hosts).grant(grant -> grant.onHostFailure(policy));
    for (String host : hosts) {
      batch = batch.host(host, one -> one.ladder(Rung.values()));
    }
    return BatchScript.of(batch);
  }

  @ParameterizedTest
  @EnumSource
  void anUpdateThatBeganNothingSendsTheHostBackToWait(OnHostFailure policy) {
    BatchScript batchScript =
        begin(policy, "a1").until("Update a1").untouched("Update a1", Mend.TIME);
    assertThat(batchScript.offered()).containsExactly("Recover a1");
    assertThat(batchScript.toItsEnd().left("a1"))
        .isEqualTo("Requeued: not touched: Update: said no");
    assertThat(batchScript.decided(Action.BeginRepair.class)).isEmpty();
    assertThat(batchScript.decided(Action.Ask.class)).isEmpty();
  }

  /** Whoever did not reach the host again may know all the same that it began nothing there. */
  @ParameterizedTest
  @EnumSource
  void anUnknownStepThatBeganNothingSendsTheHostBackToWait(OnHostFailure policy) {
    for (String step : List.of("Cordon a1", "Drain a1", "Update a1")) {
      BatchScript batchScript =
          begin(policy, "a1", "a2").until(step).unknown(step, false).toItsEnd();
      assertThat(batchScript.left("a1")).as(step).startsWith("Requeued: not touched: ");
      assertThat(batchScript.left("a2")).as(step).matches("(Requeued|Upgraded): .*");
      assertThat(batchScript.decided(Action.Ask.class)).as(step).isEmpty();
    }
  }

  /** The control. */
  @ParameterizedTest
  @ValueSource(strings = {"Cordon a1", "Drain a1"})
  void anUnknownStepThatBeganSomethingKeepsTheHostAside(String step) {
    BatchScript batchScript =
        begin(OnHostFailure.GO_ON, "a1", "a2").until(step).unknown(step, true);
    assertThat(batchScript.toItsEnd().left("a1")).startsWith("Quarantined: ");
  }

  @Test
  void aBatchThatLostItsRunGoesBackWhereItsUnknownCordonBeganNothing() {
    BatchScript batchScript = BatchScript.of(Batches.of("a1")).until("Cordon a1");
    BatchJob cordon = batchScript.jobs().getLast();
    JobBuilder unknown = JobBuilder.job(Step.CORDON, "a1").round(cordon.round());
    batchScript.meanwhile(batch -> batch.job(unknown.is(JobStatus.UNKNOWN, 1).begun(false)));
    assertThat(batchScript.reclaimed().toItsEnd().hosts()).isEqualTo("a1 Requeued");
    assertThat(batchScript.rounds()).containsExactly("Cordon a1 Unknown");
  }

  @ParameterizedTest
  @CsvSource({"Cordon a1", "Drain a1", "Update a1"})
  void whatOnlyPeopleCanMendEndsTheHostAsItWas(String step) {
    BatchScript batchScript =
        begin(OnHostFailure.ASK, "a1").until(step).untouched(step, Mend.PEOPLE).toItsEnd();
    assertThat(batchScript.left("a1"))
        .isEqualTo("Reverted: not touched: %s: said no".formatted(step.replace(" a1", "")));
  }

  @Test
  void eachHostOfABatchPaysForItsOwnReason() {
    BatchScript batchScript = begin(OnHostFailure.ABORT, "a1", "a2").until("Drain a1");
    batchScript.untouched("Drain a1", Mend.PEOPLE).untouched("Drain a2", Mend.TIME).toItsEnd();
    assertThat(batchScript.hosts()).isEqualTo("a1 Reverted, a2 Requeued");
  }

  @Test
  void aHostOnWhichNothingWasBegunIsRecoveredBesideOneThatIsUpgraded() {
    BatchScript batchScript = begin(OnHostFailure.ABORT, "a1", "a2").until("Update a1");
    batchScript.done("Update a1").untouched("Update a2", Mend.TIME);
    assertThat(batchScript.offered())
        .as("only what was updated is judged")
        .containsExactly("Health a1");
    batchScript.done("Health a1");
    assertThat(batchScript.offered()).containsExactly("Recover a1", "Recover a2");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("a1 Upgraded, a2 Requeued");
  }

  @Test
  void aHostThatWasTouchedIsDealtWithAsPoliciesSay() {
    BatchScript batchScript = begin(OnHostFailure.ASK, "a1", "a2").until("Update a1");
    batchScript.failed("Update a1").untouched("Update a2", Mend.PEOPLE);
    assertThat(batchScript.offered()).containsExactly("Diagnose a1");
    batchScript.failed("Diagnose a1");
    assertThat(batchScript.waitsFor()).isEqualTo("answer to g1.1");
    assertThat(batchScript.decisions(Kind.BLOCKED_BATCH).getFirst().reasons())
        .containsOnlyKeys("a1");
  }

  /** The control: without the word of the consumer the host counts as touched. */
  @Test
  void anUpdateOfWhichNothingIsSaidCountsAsBegun() {
    BatchScript batchScript =
        BatchScript.of(Batches.of("a1")).until("Update a1").failed("Update a1");
    assertThat(Repaired.answers(batchScript, "a1").hosts()).isEqualTo("a1 Quarantined");
  }

  @Test
  void anAbortTakesAHostBackWhoseUpdateBeganNothing() {
    BatchScript batchScript = begin(OnHostFailure.ABORT, "a1", "a2").until("Update a1");
    batchScript.untouched("Update a1", Mend.TIME);
    batchScript.meanwhile(batch -> batch.aborted("aborted by rob")).decide();
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("a1 Cancelled, a2 Cancelled");
  }

  /** A process died after the lock of the host became a quarantine, and an abort comes. */
  @Test
  void aHostThatIsToBeQuarantinedStaysSo() {
    BatchScript batchScript =
        BatchScript.of(Batches.of("a1", "a2")).until("Drain a1").done("Drain a1", "Drain a2");
    batchScript.meanwhile(
        batch ->
            batch.host("a1", host -> host.condemned("it is broken")).aborted("aborted by rob"));
    batchScript.decide();
    assertThat(batchScript.left("a1")).isEqualTo("Quarantined: it is broken");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("a1 Quarantined, a2 Cancelled");
  }
}
