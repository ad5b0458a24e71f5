package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.core.batch.PhaseProgress.Status;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Mend;
import dev.drydock.orchestrator.core.model.Phase;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.testkit.JobBuilder;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which hosts can go on, which can go back, and which can do neither. */
class StepJudgementTest {

  @Test
  void aPhaseWaitsUntilAllItsJobsHaveEnded() {
    assertThat(judge(Phase.DRAIN, drain(JobStatus.UNKNOWN, 1), drain(JobStatus.CLAIMED, 1)))
        .isEqualTo(Status.WAITING);
  }

  @Test
  void beforeTheUpdateAKnownFailureGoesBackAndAnUnknownOneIsBroken() {
    assertThat(judge(Phase.DRAIN, drain(JobStatus.FAILED, 1))).isEqualTo(Status.FAILED);
    assertThat(judge(Phase.DRAIN, drain(JobStatus.EXPIRED, 0)))
        .as("that nobody claimed it is no failure of the host")
        .isEqualTo(Status.REQUEUED);
    assertThat(judge(Phase.DRAIN, drain(JobStatus.FAILED, 1), drain(JobStatus.EXPIRED, 2)))
        .isEqualTo(Status.BROKEN);
  }

  @Test
  void anUnknownStepThatBeganNothingGoesBack() {
    for (Step step : List.of(Step.CORDON, Step.DRAIN)) {
      Phase phase = step == Step.CORDON ? Phase.CORDON : Phase.DRAIN;
      JobBuilder unknown = JobBuilder.job(step, "h01").is(JobStatus.UNKNOWN, 1).saying("no answer");
      assertThat(
              StepJudgement.judge(phase, List.of(unknown.begun(false).build()), _ -> false)
                  .status())
          .isEqualTo(Status.REQUEUED);
      assertThat(
              StepJudgement.judge(phase, List.of(unknown.begun(true).build()), _ -> false).status())
          .isEqualTo(Status.BROKEN);
    }
  }

  @Test
  void anUpdateThatBeganIsBrokenAndOneThatBeganNothingGoesBack() {
    BatchJob failed = JobBuilder.job(Step.UPDATE, "h01").failed("no mirror").build();
    for (Phase phase : List.of(Phase.UPDATE, Phase.HEALTH)) {
      assertThat(StepJudgement.judge(phase, List.of(failed), _ -> true))
          .isEqualTo(new PhaseProgress(Status.BROKEN, "Update: no mirror"));
      assertThat(StepJudgement.judge(phase, List.of(failed), _ -> false).status())
          .isEqualTo(Status.REQUEUED);
    }
  }

  @Test
  void aBatchIsRefusedWhereOnlyPeopleCanMendEachOfItsHosts() {
    BatchJob people =
        JobBuilder.job(Step.DRAIN, "h01").failed("held").untouched(Mend.PEOPLE).build();
    BatchJob time = JobBuilder.job(Step.DRAIN, "h02").failed("locked").untouched(Mend.TIME).build();
    assertThat(StepJudgement.judge(Phase.DRAIN, List.of(people), _ -> false))
        .isEqualTo(new PhaseProgress(Status.REFUSED, "not touched: Drain: held"));
    assertThat(StepJudgement.judge(Phase.DRAIN, List.of(people, time), _ -> false).status())
        .isEqualTo(Status.REQUEUED);
  }

  @Test
  void onTheWayBackAndInServiceWhateverIsNotDoneIsBroken() {
    for (Phase phase : List.of(Phase.RECOVER, Phase.UNDO)) {
      assertThat(judge(phase, job(Step.RECOVER, JobStatus.FAILED, 1))).isEqualTo(Status.BROKEN);
      assertThat(judge(phase, job(Step.RECOVER, JobStatus.DONE, 1))).isEqualTo(Status.DONE);
    }
  }

  /** A check of the board that may pass the next time is no failure. */
  @Test
  void aBatchThatOnlyPassingObjectionsKeepTriesAgain() {
    BatchJob held = JobBuilder.job(Step.DRAIN, "h01").failed("a calendar is closed").held().build();
    BatchJob failed = JobBuilder.job(Step.DRAIN, "h02").failed("no way").build();
    assertThat(StepJudgement.judge(Phase.DRAIN, List.of(held), _ -> false))
        .isEqualTo(new PhaseProgress(Status.REQUEUED, "Drain: a calendar is closed"));
    assertThat(StepJudgement.judge(Phase.DRAIN, List.of(held, failed), _ -> false))
        .isEqualTo(new PhaseProgress(Status.FAILED, "Drain: no way"));
  }

  @Test
  void whateverCameOfAReadTheHostIsAsItWas() {
    for (JobStatus end : List.of(JobStatus.FAILED, JobStatus.UNKNOWN, JobStatus.EXPIRED)) {
      assertThat(judge(Phase.VERIFY, job(Step.VERIFY, end, 1))).isEqualTo(Status.REQUEUED);
    }
  }

  @SafeVarargs
  private static Status judge(Phase phase, Optional<BatchJob>... jobs) {
    return StepJudgement.judge(phase, Arrays.stream(jobs).map(Optional::get).toList(), _ -> false)
        .status();
  }

  private static Optional<BatchJob> drain(JobStatus state, int attempt) {
    return job(Step.DRAIN, state, attempt);
  }

  private static Optional<BatchJob> job(Step step, JobStatus state, int attempt) {
    return Optional.of(JobBuilder.job(step, "h01").is(state, attempt).build());
  }
}
