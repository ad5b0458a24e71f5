package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.Decision.Kind;
import dev.drydock.orchestrator.core.model.Job;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Mend;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.testkit.Batches;
import dev.drydock.orchestrator.core.testkit.JobBuilder;
import dev.drydock.orchestrator.core.testkit.Repaired;
import dev.drydock.orchestrator.core.testkit.Story;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A host on which nothing was begun comes back, whatever ended badly there. */
class UntouchedHostsTest {

  private static Story begin(OnHostFailure policy, String... hosts) {
    Batches batch = Batches.of(hosts).grant(grant -> grant.onHostFailure(policy));
    for (String host : hosts) {
      batch = batch.host(host, one -> one.ladder(Rung.values()));
    }
    return Story.of(batch);
  }

  @ParameterizedTest
  @EnumSource
  void anUpdateThatBeganNothingSendsTheHostBackToWait(OnHostFailure policy) {
    Story story = begin(policy, "a1").until("Update a1").untouched("Update a1", Mend.TIME);
    assertThat(story.offered()).containsExactly("Recover a1");
    assertThat(story.toItsEnd().left("a1")).isEqualTo("Held: not touched: Update: said no");
    assertThat(story.decided(Action.BeginRepair.class)).isEmpty();
    assertThat(story.decided(Action.Ask.class)).isEmpty();
  }

  /** Whoever did not reach the host again may know all the same that it began nothing there. */
  @ParameterizedTest
  @EnumSource
  void anUnknownStepThatBeganNothingSendsTheHostBackToWait(OnHostFailure policy) {
    for (String step : List.of("Freeze a1", "Drain a1", "Update a1")) {
      Story story = begin(policy, "a1", "a2").until(step).unknown(step, false).toItsEnd();
      assertThat(story.left("a1")).as(step).startsWith("Held: not touched: ");
      assertThat(story.left("a2")).as(step).matches("(Held|Upgraded): .*");
      assertThat(story.decided(Action.Ask.class)).as(step).isEmpty();
    }
  }

  /** The control. */
  @ParameterizedTest
  @ValueSource(strings = {"Freeze a1", "Drain a1"})
  void anUnknownStepThatBeganSomethingKeepsTheHostAside(String step) {
    Story story = begin(OnHostFailure.GO_ON, "a1", "a2").until(step).unknown(step, true);
    assertThat(story.toItsEnd().left("a1")).startsWith("Quarantined: ");
  }

  @Test
  void aBatchThatLostItsRunGoesBackWhereItsUnknownFreezeBeganNothing() {
    Story story = Story.of(Batches.of("a1")).until("Freeze a1");
    Job freeze = story.jobs().getLast();
    JobBuilder unknown = JobBuilder.job(Step.FREEZE, "a1").round(freeze.round());
    story.meanwhile(batch -> batch.job(unknown.is(JobStatus.UNKNOWN, 1).begun(false)));
    assertThat(story.reclaimed().toItsEnd().hosts()).isEqualTo("a1 Held");
    assertThat(story.rounds()).containsExactly("Freeze a1 Unknown");
  }

  @ParameterizedTest
  @CsvSource({"Freeze a1", "Drain a1", "Update a1"})
  void whatOnlyPeopleCanMendEndsTheHostAsItWas(String step) {
    Story story =
        begin(OnHostFailure.HOLD, "a1").until(step).untouched(step, Mend.PEOPLE).toItsEnd();
    assertThat(story.left("a1"))
        .isEqualTo("Reverted: not touched: %s: said no".formatted(step.replace(" a1", "")));
  }

  @Test
  void eachHostOfABatchPaysForItsOwnReason() {
    Story story = begin(OnHostFailure.ABORT, "a1", "a2").until("Drain a1");
    story.untouched("Drain a1", Mend.PEOPLE).untouched("Drain a2", Mend.TIME).toItsEnd();
    assertThat(story.hosts()).isEqualTo("a1 Reverted, a2 Held");
  }

  @Test
  void aHostOnWhichNothingWasBegunIsRecoveredBesideOneThatIsUpgraded() {
    Story story = begin(OnHostFailure.ABORT, "a1", "a2").until("Update a1");
    story.done("Update a1").untouched("Update a2", Mend.TIME);
    assertThat(story.offered()).as("only what was updated is judged").containsExactly("Health a1");
    story.done("Health a1");
    assertThat(story.offered()).containsExactly("Recover a1", "Recover a2");
    assertThat(story.toItsEnd().hosts()).isEqualTo("a1 Upgraded, a2 Held");
  }

  @Test
  void aHostThatWasTouchedIsDealtWithAsPoliciesSay() {
    Story story = begin(OnHostFailure.HOLD, "a1", "a2").until("Update a1");
    story.failed("Update a1").untouched("Update a2", Mend.PEOPLE);
    assertThat(story.offered()).containsExactly("Diagnose a1");
    story.failed("Diagnose a1");
    assertThat(story.waitsFor()).isEqualTo("answer to g1.1");
    assertThat(story.decisions(Kind.BLOCKED_BATCH).getFirst().reasons()).containsOnlyKeys("a1");
  }

  /** The control: without the word of the consumer the host counts as touched. */
  @Test
  void anUpdateOfWhichNothingIsSaidCountsAsBegun() {
    Story story = Story.of(Batches.of("a1")).until("Update a1").failed("Update a1");
    assertThat(Repaired.answers(story, "a1").hosts()).isEqualTo("a1 Quarantined");
  }

  @Test
  void anAbortTakesAHostBackWhoseUpdateBeganNothing() {
    Story story = begin(OnHostFailure.ABORT, "a1", "a2").until("Update a1");
    story.untouched("Update a1", Mend.TIME);
    story.meanwhile(batch -> batch.aborted("aborted by rob")).decide();
    assertThat(story.toItsEnd().hosts()).isEqualTo("a1 Cancelled, a2 Cancelled");
  }

  /** A process died after the lock of the host became a quarantine, and an abort comes. */
  @Test
  void aHostThatIsToBeQuarantinedStaysSo() {
    Story story = Story.of(Batches.of("a1", "a2")).until("Drain a1").done("Drain a1", "Drain a2");
    story.meanwhile(
        batch ->
            batch.host("a1", host -> host.condemned("it is broken")).aborted("aborted by rob"));
    story.decide();
    assertThat(story.left("a1")).isEqualTo("Quarantined: it is broken");
    assertThat(story.toItsEnd().hosts()).isEqualTo("a1 Quarantined, a2 Cancelled");
  }
}
