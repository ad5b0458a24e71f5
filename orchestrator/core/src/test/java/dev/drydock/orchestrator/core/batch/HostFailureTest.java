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

  /** The cordon of the first of two failed. */
  private static BatchScript cordoned(OnHostFailure policy) {
    return begin(policy, "a1", "a2").failed("Cordon a1").done("Cordon a2");
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
    BatchScript batchScript = cordoned(OnHostFailure.ABORT);
    assertThat(batchScript.wentBack()).isEqualTo("Reverted: Cordon: said Failed");
    assertThat(batchScript.offered()).containsExactly("Uncordon a1", "Uncordon a2");
  }

  @Test
  void theOthersGoOnWithoutIt() {
    BatchScript batchScript = cordoned(OnHostFailure.GO_ON);
    assertThat(batchScript.left("a1"))
        .isEqualTo("Quarantined: Cordon: said Failed; GoOn by policy");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("a1 Quarantined, a2 Upgraded");
    assertThat(batchScript.done())
        .as("nothing more is done to it")
        .noneMatch(job -> job.endsWith("a1"));
  }

  @Test
  void withoutOthersThereIsNothingToGoOnWith() {
    BatchScript batchScript = begin(OnHostFailure.GO_ON, "b1").failed("Cordon b1");
    assertThat(batchScript.wentBack()).isEqualTo("Reverted: Cordon: said Failed");
    assertThat(batchScript.decisions(Kind.BLOCKED_BATCH)).isEmpty();
  }

  @Test
  void aHeldBatchTriesAgainInANewRoundWhenPeopleSaySo() {
    BatchScript batchScript = updated(OnHostFailure.ASK);
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
    BatchScript batchScript = updateUnknown(OnHostFailure.ASK).answer(Option.GO_ON);
    assertThat(batchScript.left("a1"))
        .isEqualTo("Quarantined: Update: said Unknown; diagnosis: it answers; GoOn by any");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("a1 Quarantined, a2 Upgraded");
  }

  @Test
  void aHeldBatchGoesBackWhenPeopleSaySo() {
    BatchScript batchScript = cordoned(OnHostFailure.ASK).answer(Option.ABORT);
    assertThat(batchScript.wentBack()).isEqualTo("Reverted: Cordon: said Failed; Abort by any");
  }

  /** The second Cordon was cancelled untouched; the first had touched the host. */
  @Test
  void theWayBackFromASecondRoundLiftsWhatTheFirstFroze() {
    BatchScript batchScript = cordoned(OnHostFailure.ASK).answer(Option.RETRY);
    assertThat(batchScript.offered()).containsExactly("Cordon a1");
    batchScript.meanwhile(batch -> batch.goingBack(RollbackTarget.REVERTED, "aborted")).decide();
    assertThat(batchScript.offered()).containsExactly("Uncordon a1", "Uncordon a2");
    batchScript.done("Uncordon a2");
    assertThat(batchScript.end()).as("Uncordon of a1 is not done").isEmpty();
    assertThat(batchScript.done("Uncordon a1").hosts()).isEqualTo("a1 Reverted, a2 Reverted");
  }

  @Test
  void impossibleAnswersAreRefusedWithTheReason() {
    BatchScript batchScript = updateUnknown(OnHostFailure.ASK);
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
    BatchScript batchScript = cordoned(OnHostFailure.ASK);
    assertThat(closed(batchScript)).isEmpty();
    batchScript.meanwhile(batch -> batch.aborted("aborted by rob")).decide();
    assertThat(closed(batchScript).orElse("")).startsWith("is over");
    assertThat(batchScript.wentBack()).isEqualTo("Cancelled: aborted by rob");
  }

  @Test
  void anotherRunFindsWhatWasAsked() {
    BatchScript batchScript = cordoned(OnHostFailure.ASK).anotherRun();
    assertThat(batchScript.waitsFor()).isEqualTo("answer to g1.1");
    assertThat(batchScript.decisions(Kind.BLOCKED_BATCH)).hasSize(1);
    assertThat(batchScript.answer(Option.ABORT).wentBack()).startsWith("Reverted");
    assertThat(batchScript.decisions(Kind.BLOCKED_BATCH)).hasSize(1);
  }

  @Test
  void aQuestionIsOverWhenItsBatchTurnsBack() {
    BatchScript batchScript = cordoned(OnHostFailure.ASK);
    batchScript.meanwhile(batch -> batch.goingBack(RollbackTarget.REVERTED, "aborted")).decide();
    assertThat(closed(batchScript))
        .contains("is over: its batch went back or ended (Reverted: aborted)");
  }

  @Test
  void nothingIsAskedWhileAnotherHostIsWorkedOn() {
    BatchScript batchScript = begin(OnHostFailure.ASK, "a1", "a2").failed("Cordon a1");
    assertThat(batchScript.decisions(Kind.BLOCKED_BATCH)).isEmpty();
    assertThat(batchScript.waitsFor()).isEqualTo("g1.Cordon.a2.1");
  }

  /** There is no way back for the host: policies that say Abort keep it aside. */
  @Test
  void afterTheUpdateAHostThatFailedIsQuarantinedAndTheOthersGoOn() {
    BatchScript batchScript = updated(OnHostFailure.ABORT);
    assertThat(batchScript.left("a1")).startsWith("Quarantined: Update: said Failed");
    assertThat(batchScript.toItsEnd().hosts()).isEqualTo("a1 Quarantined, a2 Upgraded");
  }
}
