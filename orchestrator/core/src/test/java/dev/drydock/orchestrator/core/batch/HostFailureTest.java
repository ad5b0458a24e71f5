package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Decision.Kind;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.RollbackTarget;
import dev.drydock.orchestrator.core.testkit.BatchScript;
import dev.drydock.orchestrator.core.testkit.Batches;
import dev.drydock.orchestrator.core.testkit.Repaired;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** One host of a batch of several fails. */
class HostFailureTest {

  private static BatchScript begin(OnHostFailure policy, String... hosts) {
    return BatchScript.of(Batches.of(hosts).onHostFailure(policy)).decide();
  }

  /** The freeze of the first of two failed. */
  private static BatchScript frozen(OnHostFailure policy) {
    return begin(policy, "a1", "a2").failed("Freeze a1").done("Freeze a2");
  }

  /** The update of the first of two failed, and was diagnosed. */
  private static BatchScript updated(OnHostFailure policy) {
    BatchScript batchScript = begin(policy, "a1", "a2").until("Update a1").failed("Update a1");
    return Repaired.answers(batchScript.done("Update a2"), "a1");
  }

  private static BatchScript updateUnknown(OnHostFailure policy) {
    BatchScript batchScript = begin(policy, "a1", "a2").until("Update a1").unknown("Update a1");
    return Repaired.answers(batchScript.done("Update a2"), "a1");
  }

  private static Optional<String> closed(BatchScript batchScript) {
    return ClosedDecision.why(
        batchScript.now(),
        batchScript.decisions(Kind.BLOCKED_BATCH).getFirst(),
        batchScript.wentBack());
  }

  private static Optional<String> impossible(BatchScript batchScript, Option answer) {
    Decision asked = batchScript.decisions(Kind.BLOCKED_BATCH).getFirst();
    return FailureAnswerRule.impossible(
        FailureAnswerRule.Question.of(batchScript.now(), asked), answer);
  }

  @Test
  void allGoBackUnlessPoliciesSayOtherwise() {
    BatchScript batchScript = frozen(OnHostFailure.ABORT);
    assertThat(batchScript.wentBack()).isEqualTo("Reverted: Freeze: said Failed");
    assertThat(batchScript.offered()).containsExactly("Unfreeze a1", "Unfreeze a2");
  }

  @Test
  void theOthersGoOnWithoutIt() {
    BatchScript batchScript = frozen(OnHostFailure.GO_ON);
    assertThat(batchScript.left("a1"))
        .isEqualTo("Quarantined: Freeze: said Failed; GoOn by policy");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("a1 Quarantined, a2 Upgraded");
    assertThat(batchScript.done())
        .as("nothing more is done to it")
        .noneMatch(job -> job.endsWith("a1"));
  }

  @Test
  void withoutOthersThereIsNothingToGoOnWith() {
    BatchScript batchScript = begin(OnHostFailure.GO_ON, "b1").failed("Freeze b1");
    assertThat(batchScript.wentBack()).isEqualTo("Reverted: Freeze: said Failed");
    assertThat(batchScript.decisions(Kind.BLOCKED_BATCH)).isEmpty();
  }

  @Test
  void aHeldBatchTriesAgainInANewRoundWhenPeopleSaySo() {
    BatchScript batchScript = updated(OnHostFailure.HOLD);
    assertThat(batchScript.waitsFor()).isEqualTo("answer to g1.1");
    assertThat(batchScript.offered()).isEmpty();
    assertThat(batchScript.host("a1").says())
        .isEqualTo("Update: said Failed; diagnosis: it answers; drydock decision answer g1.1");
    batchScript.answer(Option.RETRY);
    assertThat(batchScript.offered()).containsExactly("Update a1");
    assertThat(batchScript.jobs().getLast().id()).isEqualTo("g1.Update.a1.5");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("a1 Upgraded, a2 Upgraded");
  }

  @Test
  void aHeldBatchGoesOnWithoutTheHostWhenPeopleSaySo() {
    BatchScript batchScript = updateUnknown(OnHostFailure.HOLD).answer(Option.GO_ON);
    assertThat(batchScript.left("a1"))
        .isEqualTo("Quarantined: Update: said Unknown; diagnosis: it answers; GoOn by any");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("a1 Quarantined, a2 Upgraded");
  }

  @Test
  void aHeldBatchGoesBackWhenPeopleSaySo() {
    BatchScript batchScript = frozen(OnHostFailure.HOLD).answer(Option.ABORT);
    assertThat(batchScript.wentBack()).isEqualTo("Reverted: Freeze: said Failed; Abort by any");
  }

  /** The second Freeze was cancelled untouched; the first had touched the host. */
  @Test
  void theWayBackFromASecondRoundLiftsWhatTheFirstFroze() {
    BatchScript batchScript = frozen(OnHostFailure.HOLD).answer(Option.RETRY);
    assertThat(batchScript.offered()).containsExactly("Freeze a1");
    batchScript.meanwhile(batch -> batch.goingBack(RollbackTarget.REVERTED, "aborted")).decide();
    assertThat(batchScript.offered()).containsExactly("Unfreeze a1", "Unfreeze a2");
    batchScript.done("Unfreeze a2");
    assertThat(batchScript.end()).as("Unfreeze of a1 is not done").isEmpty();
    assertThat(batchScript.done("Unfreeze a1").hosts()).isEqualTo("a1 Reverted, a2 Reverted");
  }

  @Test
  void impossibleAnswersAreRefusedWithTheReason() {
    BatchScript batchScript = updateUnknown(OnHostFailure.HOLD);
    assertThat(impossible(batchScript, Option.ABORT))
        .contains("cannot be answered Abort: there is no way back any more");
    assertThat(impossible(batchScript, Option.RETRY))
        .contains("cannot be answered Retry: the state of a1 is unknown, say GoOn");
    assertThat(closed(batchScript)).isEmpty();
    batchScript.answer(Option.GO_ON);
    assertThat(closed(batchScript)).contains("was decided already: GoOn by any");
  }

  @Test
  void aQuestionIsOverWhenItsRolloutIsAborted() {
    BatchScript batchScript = frozen(OnHostFailure.HOLD);
    assertThat(closed(batchScript)).isEmpty();
    batchScript.meanwhile(batch -> batch.aborted("aborted by rob")).decide();
    assertThat(closed(batchScript).orElse("")).startsWith("is over");
    assertThat(batchScript.wentBack()).isEqualTo("Cancelled: aborted by rob");
  }

  @Test
  void anotherRunFindsWhatWasAsked() {
    BatchScript batchScript = frozen(OnHostFailure.HOLD).anotherRun();
    assertThat(batchScript.waitsFor()).isEqualTo("answer to g1.1");
    assertThat(batchScript.decisions(Kind.BLOCKED_BATCH)).hasSize(1);
    assertThat(batchScript.answer(Option.ABORT).wentBack()).startsWith("Reverted");
    assertThat(batchScript.decisions(Kind.BLOCKED_BATCH)).hasSize(1);
  }

  @Test
  void aQuestionIsOverWhenItsBatchTurnsBack() {
    BatchScript batchScript = frozen(OnHostFailure.HOLD);
    batchScript.meanwhile(batch -> batch.goingBack(RollbackTarget.REVERTED, "aborted")).decide();
    assertThat(closed(batchScript))
        .contains("is over: its batch went back or ended (Reverted: aborted)");
  }

  @Test
  void nothingIsAskedWhileAnotherHostIsWorkedOn() {
    BatchScript batchScript = begin(OnHostFailure.HOLD, "a1", "a2").failed("Freeze a1");
    assertThat(batchScript.decisions(Kind.BLOCKED_BATCH)).isEmpty();
    assertThat(batchScript.waitsFor()).isEqualTo("g1.Freeze.a2.1");
  }

  /** There is no way back for the host: policies that say Abort keep it aside. */
  @Test
  void afterTheUpdateAHostThatFailedIsQuarantinedAndTheOthersGoOn() {
    BatchScript batchScript = updated(OnHostFailure.ABORT);
    assertThat(batchScript.left("a1")).startsWith("Quarantined: Update: said Failed");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("a1 Quarantined, a2 Upgraded");
  }
}
