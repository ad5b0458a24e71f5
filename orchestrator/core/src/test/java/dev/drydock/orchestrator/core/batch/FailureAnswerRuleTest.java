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
  private static final Decision CORDONED = failure(JobBuilder.job(Step.CORDON, "h01"), false);

  private static Decision failure(JobBuilder job, boolean goingBack) {
    return new Decision(
        1,
        new Decision.BlockedBatch(goingBack),
        "Cordon",
        List.of(job.build().id()),
        Map.of("h01", "it said so"),
        "it said so",
        Optional.empty(),
        Optional.empty());
  }

  private static Batches cordoned() {
    return Batches.of("h01", "h02").job(JobBuilder.job(Step.CORDON, "h01").failed("no"));
  }

  private static Optional<String> closed(Batches batch, Decision failure) {
    return ClosedDecision.why(batch.snapshot(), failure, "Reverted");
  }

  private static Optional<String> impossible(Batches batch, Decision failure, Option answer) {
    return FailureAnswerRule.impossible(Question.of(batch.snapshot(), failure), answer);
  }

  @Test
  void anOpenQuestionTakesEveryAnswer() {
    assertThat(closed(cordoned(), CORDONED)).isEmpty();
    for (Option answer : List.of(Option.RETRY, Option.GO_ON, Option.ABORT)) {
      assertThat(impossible(cordoned(), CORDONED, answer)).isEmpty();
    }
  }

  @Test
  void whatWasDecidedIsNotDecidedAgain() {
    Decision decided = CORDONED.answered(new Decision.Answer(Option.GO_ON, "any", ""), 0);
    assertThat(closed(cordoned(), decided)).contains("was decided already: GoOn by any");
  }

  @Test
  void aQuestionIsOverOnceItsBatchEndedOrWasAbortedOrTurnedBack() {
    String over = "is over: its batch went back or ended (Reverted)";
    assertThat(closed(cordoned().grant(GrantBuilder::ended), CORDONED)).contains(over);
    assertThat(closed(cordoned().aborted("by rob"), CORDONED)).contains(over);
    assertThat(closed(cordoned().goingBack(RollbackTarget.REVERTED, "because"), CORDONED))
        .contains(over);
  }

  @Test
  void aQuestionOfTheWayBackIsOpenWhileItsBatchGoesBack() {
    Decision failure = failure(JobBuilder.job(Step.UNCORDON, "h01").round(2), true);
    Batches back =
        cordoned()
            .goingBack(RollbackTarget.REVERTED, "because")
            .job(JobBuilder.job(Step.UNCORDON, "h01").round(2).failed("no"));
    assertThat(closed(back, failure)).isEmpty();
    assertThat(impossible(back, failure, Option.RETRY)).isEmpty();
    assertThat(impossible(back, failure, Option.ABORT))
        .contains("cannot be answered Abort: there is no way back any more");
  }

  @Test
  void nothingIsTriedAgainOnAHostWhoseStateIsUnknown() {
    Batches unknown = cordoned().job(JobBuilder.job(Step.CORDON, "h01").silent());
    assertThat(impossible(unknown, CORDONED, Option.RETRY))
        .contains("cannot be answered Retry: the state of h01 is unknown, say GoOn");
    assertThat(impossible(unknown, CORDONED, Option.GO_ON)).isEmpty();
    assertThat(impossible(unknown, CORDONED, Option.ABORT)).isEmpty();
  }

  @Test
  void anUnknownJobThatBeganNothingLeavesNoUnknownHost() {
    JobBuilder cordon = JobBuilder.job(Step.CORDON, "h01").is(JobStatus.UNKNOWN, 1);
    assertThat(impossible(cordoned().job(cordon.begun(false)), CORDONED, Option.RETRY)).isEmpty();
    assertThat(impossible(cordoned().job(cordon.begun(true)), CORDONED, Option.RETRY)).isPresent();
  }

  /** That a round began nothing tells nothing of what the round before it left. */
  @Test
  void aRoundThatBeganNothingDoesNotTellWhatAnEarlierOneLeft() {
    JobBuilder repair = JobBuilder.job(Step.REPAIR, "h01").repair(RepairAction.POWER_CYCLE);
    Batches lost =
        cordoned()
            .job(repair.round(2).silent())
            .job(JobBuilder.job(Step.CORDON, "h01").round(3).is(JobStatus.UNKNOWN, 1).begun(false));
    assertThat(impossible(lost, CORDONED, Option.RETRY)).isPresent();
  }

  @Test
  void aLaterRoundTellsWhatBecameOfTheHost() {
    Batches read =
        cordoned()
            .job(JobBuilder.job(Step.CORDON, "h01").silent())
            .job(JobBuilder.job(Step.CORDON, "h01").round(2).failed("no"));
    assertThat(impossible(read, CORDONED, Option.RETRY)).isEmpty();
  }

  @Test
  void aHookThatFellSilentIsTriedAgain() {
    JobBuilder hook = JobBuilder.job(Step.HOOK, "h01").hook(1, "tell").silent();
    assertThat(impossible(cordoned().job(hook), failure(hook, false), Option.RETRY)).isEmpty();
  }

  @Test
  void aBatchWhoseUpdateBeganCannotGoBack() {
    JobBuilder update = JobBuilder.job(Step.UPDATE, "h02").round(3);
    assertThat(impossible(cordoned().job(update.untaken()), CORDONED, Option.ABORT)).isEmpty();
    assertThat(impossible(cordoned().job(update.done()), CORDONED, Option.ABORT))
        .contains("cannot be answered Abort: there is no way back any more");
  }
}
