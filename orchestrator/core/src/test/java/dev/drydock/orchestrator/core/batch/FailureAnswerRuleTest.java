package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.core.batch.FailureAnswerRule.Question;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.RollbackTarget;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.testkit.Batches;
import dev.drydock.orchestrator.core.testkit.GrantBuilder;
import dev.drydock.orchestrator.core.testkit.JobBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What people may answer about hosts that failed. */
class FailureAnswerRuleTest {
  private static final Decision FROZEN = failure(JobBuilder.job(Step.FREEZE, "h01"), false);

  private static Decision failure(JobBuilder job, boolean goingBack) {
    return new Decision(
        1,
        new Decision.BlockedBatch(goingBack),
        "Freeze",
        List.of(job.build().id()),
        Map.of("h01", "it said so"),
        "it said so",
        Optional.empty(),
        Optional.empty());
  }

  private static Batches frozen() {
    return Batches.of("h01", "h02").job(JobBuilder.job(Step.FREEZE, "h01").failed("no"));
  }

  private static Optional<String> closed(Batches batch, Decision failure) {
    return ClosedDecision.why(batch.snapshot(), failure, "Reverted");
  }

  private static Optional<String> impossible(Batches batch, Decision failure, Option answer) {
    return FailureAnswerRule.impossible(Question.of(batch.snapshot(), failure), answer);
  }

  @Test
  void anOpenQuestionTakesEveryAnswer() {
    assertThat(closed(frozen(), FROZEN)).isEmpty();
    for (Option answer : List.of(Option.RETRY, Option.GO_ON, Option.ABORT)) {
      assertThat(impossible(frozen(), FROZEN, answer)).isEmpty();
    }
  }

  @Test
  void whatWasDecidedIsNotDecidedAgain() {
    Decision decided = FROZEN.answered(new Decision.Answer(Option.GO_ON, "any", ""), 0);
    assertThat(closed(frozen(), decided)).contains("was decided already: GoOn by any");
  }

  @Test
  void aQuestionIsOverOnceItsBatchEndedOrWasAbortedOrTurnedBack() {
    String over = "is over: its batch went back or ended (Reverted)";
    assertThat(closed(frozen().grant(GrantBuilder::ended), FROZEN)).contains(over);
    assertThat(closed(frozen().aborted("by rob"), FROZEN)).contains(over);
    assertThat(closed(frozen().goingBack(RollbackTarget.REVERTED, "because"), FROZEN))
        .contains(over);
  }

  @Test
  void aQuestionOfTheWayBackIsOpenWhileItsBatchGoesBack() {
    Decision failure = failure(JobBuilder.job(Step.UNFREEZE, "h01").round(2), true);
    Batches back =
        frozen()
            .goingBack(RollbackTarget.REVERTED, "because")
            .job(JobBuilder.job(Step.UNFREEZE, "h01").round(2).failed("no"));
    assertThat(closed(back, failure)).isEmpty();
    assertThat(impossible(back, failure, Option.RETRY)).isEmpty();
    assertThat(impossible(back, failure, Option.ABORT))
        .contains("cannot be answered Abort: there is no way back any more");
  }

  @Test
  void nothingIsTriedAgainOnAHostWhoseStateIsUnknown() {
    Batches unknown = frozen().job(JobBuilder.job(Step.FREEZE, "h01").silent());
    assertThat(impossible(unknown, FROZEN, Option.RETRY))
        .contains("cannot be answered Retry: the state of h01 is unknown, say GoOn");
    assertThat(impossible(unknown, FROZEN, Option.GO_ON)).isEmpty();
    assertThat(impossible(unknown, FROZEN, Option.ABORT)).isEmpty();
  }

  @Test
  void anUnknownJobThatBeganNothingLeavesNoUnknownHost() {
    JobBuilder freeze = JobBuilder.job(Step.FREEZE, "h01").is(JobStatus.UNKNOWN, 1);
    assertThat(impossible(frozen().job(freeze.begun(false)), FROZEN, Option.RETRY)).isEmpty();
    assertThat(impossible(frozen().job(freeze.begun(true)), FROZEN, Option.RETRY)).isPresent();
  }

  /** That a round began nothing tells nothing of what the round before it left. */
  @Test
  void aRoundThatBeganNothingDoesNotTellWhatAnEarlierOneLeft() {
    JobBuilder repair = JobBuilder.job(Step.REPAIR, "h01").repair(RepairAction.POWER_CYCLE);
    Batches lost =
        frozen()
            .job(repair.round(2).silent())
            .job(JobBuilder.job(Step.FREEZE, "h01").round(3).is(JobStatus.UNKNOWN, 1).begun(false));
    assertThat(impossible(lost, FROZEN, Option.RETRY)).isPresent();
  }

  @Test
  void aLaterRoundTellsWhatBecameOfTheHost() {
    Batches read =
        frozen()
            .job(JobBuilder.job(Step.FREEZE, "h01").silent())
            .job(JobBuilder.job(Step.FREEZE, "h01").round(2).failed("no"));
    assertThat(impossible(read, FROZEN, Option.RETRY)).isEmpty();
  }

  @Test
  void aHookThatFellSilentIsTriedAgain() {
    JobBuilder hook = JobBuilder.job(Step.HOOK, "h01").hook(1, "tell").silent();
    assertThat(impossible(frozen().job(hook), failure(hook, false), Option.RETRY)).isEmpty();
  }

  @Test
  void aBatchWhoseUpdateBeganCannotGoBack() {
    JobBuilder update = JobBuilder.job(Step.UPDATE, "h02").round(3);
    assertThat(impossible(frozen().job(update.untaken()), FROZEN, Option.ABORT)).isEmpty();
    assertThat(impossible(frozen().job(update.done()), FROZEN, Option.ABORT))
        .contains("cannot be answered Abort: there is no way back any more");
  }
}
