package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.core.batch.Progress.Status;
import dev.drydock.orchestrator.core.model.Job;
import dev.drydock.orchestrator.core.model.JobStatus;
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
    assertThat(judge(Phase.DRAIN, drain(JobStatus.EXPIRED, 0))).isEqualTo(Status.FAILED);
    assertThat(judge(Phase.DRAIN, drain(JobStatus.FAILED, 1), drain(JobStatus.EXPIRED, 2)))
        .isEqualTo(Status.BROKEN);
  }

  @Test
  void anUpdateThatFailedIsBrokenAndOneNobodyBeganGoesBack() {
    assertThat(judge(Phase.UPDATE, job(Step.UPDATE, JobStatus.FAILED, 1))).isEqualTo(Status.BROKEN);
    assertThat(judge(Phase.UPDATE, job(Step.UPDATE, JobStatus.EXPIRED, 0)))
        .isEqualTo(Status.FAILED);
    assertThat(
            judge(
                Phase.UPDATE,
                job(Step.UPDATE, JobStatus.EXPIRED, 0),
                job(Step.UPDATE, JobStatus.DONE, 1)))
        .as("a batch of which one host was updated cannot go back")
        .isEqualTo(Status.BROKEN);
    List<Job> untaken = List.of(job(Step.UPDATE, JobStatus.EXPIRED, 0).orElseThrow());
    assertThat(StepJudgement.judge(Phase.UPDATE, untaken, true).status())
        .as("nor one of which an earlier round was begun")
        .isEqualTo(Status.BROKEN);
  }

  @Test
  void afterTheUpdateWhateverIsNotDoneIsBroken() {
    for (Phase phase : List.of(Phase.HEALTH, Phase.RECOVER, Phase.UNDO)) {
      assertThat(judge(phase, job(Step.RECOVER, JobStatus.FAILED, 1))).isEqualTo(Status.BROKEN);
      assertThat(judge(phase, job(Step.RECOVER, JobStatus.EXPIRED, 0))).isEqualTo(Status.BROKEN);
      assertThat(judge(phase, job(Step.RECOVER, JobStatus.DONE, 1))).isEqualTo(Status.DONE);
    }
  }

  /** A check of the board that may pass the next time is no failure. */
  @Test
  void aBatchThatOnlyPassingObjectionsKeepTriesAgain() {
    Job held = JobBuilder.job(Step.DRAIN, "h01").failed("a calendar is closed").held().build();
    Job failed = JobBuilder.job(Step.DRAIN, "h02").failed("no way").build();
    assertThat(StepJudgement.judge(Phase.DRAIN, List.of(held), false))
        .isEqualTo(new Progress(Status.HELD, "Drain: a calendar is closed"));
    assertThat(StepJudgement.judge(Phase.DRAIN, List.of(held, failed), false))
        .isEqualTo(new Progress(Status.FAILED, "Drain: no way"));
  }

  @Test
  void whateverCameOfAReadTheHostIsAsItWas() {
    for (JobStatus end : List.of(JobStatus.FAILED, JobStatus.UNKNOWN, JobStatus.EXPIRED)) {
      assertThat(judge(Phase.VERIFY, job(Step.VERIFY, end, 1))).isEqualTo(Status.FAILED);
    }
  }

  @SafeVarargs
  private static Status judge(Phase phase, Optional<Job>... jobs) {
    return StepJudgement.judge(phase, Arrays.stream(jobs).map(Optional::get).toList(), false)
        .status();
  }

  private static Optional<Job> drain(JobStatus state, int attempt) {
    return job(Step.DRAIN, state, attempt);
  }

  private static Optional<Job> job(Step step, JobStatus state, int attempt) {
    return Optional.of(JobBuilder.job(step, "h01").is(state, attempt).build());
  }
}
