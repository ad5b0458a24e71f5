package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.core.batch.FailureAnswerRule.Question;
import dev.drydock.orchestrator.core.model.BackTo;
import dev.drydock.orchestrator.core.model.Decision.Kind;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.testkit.Batches;
import dev.drydock.orchestrator.core.testkit.Repaired;
import dev.drydock.orchestrator.core.testkit.Story;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** One host of a batch of several fails. */
class HostFailureTest {

  private static Story begin(OnHostFailure policy, String... hosts) {
    return Story.of(Batches.of(hosts).onHostFailure(policy)).decide();
  }

  /** The freeze of the first of two failed. */
  private static Story frozen(OnHostFailure policy) {
    return begin(policy, "a1", "a2").failed("Freeze a1").done("Freeze a2");
  }

  /** The update of the first of two failed, and was diagnosed. */
  private static Story updated(OnHostFailure policy) {
    Story story = begin(policy, "a1", "a2").until("Update a1").failed("Update a1");
    return Repaired.answers(story.done("Update a2"), "a1");
  }

  private static Story updateUnknown(OnHostFailure policy) {
    Story story = begin(policy, "a1", "a2").until("Update a1").unknown("Update a1");
    return Repaired.answers(story.done("Update a2"), "a1");
  }

  private static Question question(Story story) {
    return Question.of(
        story.now(), story.decisions(Kind.BLOCKED_BATCH).getFirst(), story.wentBack());
  }

  private static Optional<String> closed(Story story) {
    return FailureAnswerRule.closed(question(story));
  }

  @Test
  void allGoBackUnlessPoliciesSayOtherwise() {
    Story story = frozen(OnHostFailure.ABORT);
    assertThat(story.wentBack()).isEqualTo("Reverted: Freeze: said Failed");
    assertThat(story.offered()).containsExactly("Unfreeze a1", "Unfreeze a2");
  }

  @Test
  void theOthersGoOnWithoutIt() {
    Story story = frozen(OnHostFailure.GO_ON);
    assertThat(story.left("a1")).isEqualTo("Quarantined: Freeze: said Failed; GoOn by policy");
    assertThat(story.toItsEnd().hosts()).isEqualTo("a1 Quarantined, a2 Upgraded");
    assertThat(story.done()).as("nothing more is done to it").noneMatch(job -> job.endsWith("a1"));
  }

  @Test
  void withoutOthersThereIsNothingToGoOnWith() {
    Story story = begin(OnHostFailure.GO_ON, "b1").failed("Freeze b1");
    assertThat(story.wentBack()).isEqualTo("Reverted: Freeze: said Failed");
    assertThat(story.decisions(Kind.BLOCKED_BATCH)).isEmpty();
  }

  @Test
  void aHeldBatchTriesAgainInANewRoundWhenPeopleSaySo() {
    Story story = updated(OnHostFailure.HOLD);
    assertThat(story.waitsFor()).isEqualTo("answer to g1.1");
    assertThat(story.offered()).isEmpty();
    assertThat(story.host("a1").says())
        .isEqualTo("Update: said Failed; diagnosis: it answers; drydock decision answer g1.1");
    story.answer(Option.RETRY);
    assertThat(story.offered()).containsExactly("Update a1");
    assertThat(story.jobs().getLast().id()).isEqualTo("g1.Update.a1.5");
    assertThat(story.toItsEnd().hosts()).isEqualTo("a1 Upgraded, a2 Upgraded");
  }

  @Test
  void aHeldBatchGoesOnWithoutTheHostWhenPeopleSaySo() {
    Story story = updateUnknown(OnHostFailure.HOLD).answer(Option.GO_ON);
    assertThat(story.left("a1"))
        .isEqualTo("Quarantined: Update: said Unknown; diagnosis: it answers; GoOn by any");
    assertThat(story.toItsEnd().hosts()).isEqualTo("a1 Quarantined, a2 Upgraded");
  }

  @Test
  void aHeldBatchGoesBackWhenPeopleSaySo() {
    Story story = frozen(OnHostFailure.HOLD).answer(Option.ABORT);
    assertThat(story.wentBack()).isEqualTo("Reverted: Freeze: said Failed; Abort by any");
  }

  /** The second Freeze was cancelled untouched; the first had touched the host. */
  @Test
  void theWayBackFromASecondRoundLiftsWhatTheFirstFroze() {
    Story story = frozen(OnHostFailure.HOLD).answer(Option.RETRY);
    assertThat(story.offered()).containsExactly("Freeze a1");
    story.meanwhile(batch -> batch.goingBack(BackTo.REVERTED, "aborted")).decide();
    assertThat(story.offered()).containsExactly("Unfreeze a1", "Unfreeze a2");
    story.done("Unfreeze a2");
    assertThat(story.end()).as("Unfreeze of a1 is not done").isEmpty();
    assertThat(story.done("Unfreeze a1").hosts()).isEqualTo("a1 Reverted, a2 Reverted");
  }

  @Test
  void impossibleAnswersAreRefusedWithTheReason() {
    Story story = updateUnknown(OnHostFailure.HOLD);
    assertThat(FailureAnswerRule.impossible(question(story), Option.ABORT))
        .contains("cannot be answered Abort: there is no way back any more");
    assertThat(FailureAnswerRule.impossible(question(story), Option.RETRY))
        .contains("cannot be answered Retry: the state of a1 is unknown, say GoOn");
    assertThat(closed(story)).isEmpty();
    story.answer(Option.GO_ON);
    assertThat(closed(story)).contains("was decided already: GoOn by any");
  }

  @Test
  void aQuestionIsOverWhenItsRolloutIsAborted() {
    Story story = frozen(OnHostFailure.HOLD);
    assertThat(closed(story)).isEmpty();
    story.meanwhile(batch -> batch.aborted("aborted by rob")).decide();
    assertThat(closed(story).orElse("")).startsWith("is over");
    assertThat(story.wentBack()).isEqualTo("Cancelled: aborted by rob");
  }

  @Test
  void anotherRunFindsWhatWasAsked() {
    Story story = frozen(OnHostFailure.HOLD).anotherRun();
    assertThat(story.waitsFor()).isEqualTo("answer to g1.1");
    assertThat(story.decisions(Kind.BLOCKED_BATCH)).hasSize(1);
    assertThat(story.answer(Option.ABORT).wentBack()).startsWith("Reverted");
    assertThat(story.decisions(Kind.BLOCKED_BATCH)).hasSize(1);
  }

  @Test
  void aQuestionIsOverWhenItsBatchTurnsBack() {
    Story story = frozen(OnHostFailure.HOLD);
    story.meanwhile(batch -> batch.goingBack(BackTo.REVERTED, "aborted")).decide();
    assertThat(closed(story)).contains("is over: its batch went back or ended (Reverted: aborted)");
  }

  @Test
  void nothingIsAskedWhileAnotherHostIsWorkedOn() {
    Story story = begin(OnHostFailure.HOLD, "a1", "a2").failed("Freeze a1");
    assertThat(story.decisions(Kind.BLOCKED_BATCH)).isEmpty();
    assertThat(story.waitsFor()).isEqualTo("g1.Freeze.a2.1");
  }

  /** There is no way back for the host: policies that say Abort keep it aside. */
  @Test
  void afterTheUpdateAHostThatFailedIsQuarantinedAndTheOthersGoOn() {
    Story story = updated(OnHostFailure.ABORT);
    assertThat(story.left("a1")).startsWith("Quarantined: Update: said Failed");
    assertThat(story.toItsEnd().hosts()).isEqualTo("a1 Quarantined, a2 Upgraded");
  }
}
