package dev.drydock.orchestrator.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.activity.Progress.Status;
import dev.drydock.orchestrator.jobs.JobRow;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What brings a host back, and what can neither go on nor back. */
class JudgementTest {
  private static final Optional<JobRow> NONE = Optional.empty();

  @Test
  void leavesAHostAloneThatNobodyWasSentTo() {
    assertThat(undo(NONE, NONE)).isEqualTo(new Undo.Nothing());
    assertThat(undo(freeze(JobState.Cancelled, 0), NONE)).isEqualTo(new Undo.Nothing());
  }

  @Test
  void liftsTheFreezeOfAHostWhoseDrainNobodyBegan() {
    assertThat(undo(freeze(JobState.Done, 1), drain(JobState.Expired, 0)))
        .isEqualTo(new Undo.By(JobStep.Unfreeze));
    assertThat(undo(freeze(JobState.Failed, 2), NONE)).isEqualTo(new Undo.By(JobStep.Unfreeze));
  }

  @Test
  void recoversAHostWhoseDrainBegan() {
    for (JobState end : List.of(JobState.Done, JobState.Failed)) {
      assertThat(undo(freeze(JobState.Done, 1), drain(end, 1)))
          .isEqualTo(new Undo.By(JobStep.Recover));
    }
  }

  @Test
  void undoesWhatMayHaveBegunWhenTheBoardCancelledItBetweenTwoConsumers() {
    assertThat(undo(freeze(JobState.Done, 1), drain(JobState.Cancelled, 1)))
        .isEqualTo(new Undo.By(JobStep.Recover));
    assertThat(undo(freeze(JobState.Done, 1), drain(JobState.Cancelled, 0)))
        .isEqualTo(new Undo.By(JobStep.Unfreeze));
    assertThat(undo(freeze(JobState.Cancelled, 1), NONE)).isEqualTo(new Undo.By(JobStep.Unfreeze));
  }

  @Test
  void neverTouchesAHostWhoseStateNobodyKnows() {
    assertThat(undo(freeze(JobState.Done, 1), drain(JobState.Unknown, 1)))
        .isInstanceOf(Undo.Impossible.class);
    assertThat(undo(freeze(JobState.Done, 1), drain(JobState.Expired, 3)))
        .isInstanceOf(Undo.Impossible.class);
    assertThat(undo(freeze(JobState.Unknown, 1), NONE)).isInstanceOf(Undo.Impossible.class);
  }

  @Test
  void waitsForWhatIsStillRunning() {
    assertThat(undo(freeze(JobState.Done, 1), drain(JobState.Claimed, 1)))
        .isEqualTo(new Undo.NotYet());
    assertThat(undo(freeze(JobState.Pending, 1), NONE)).isEqualTo(new Undo.NotYet());
  }

  @Test
  void aPhaseWaitsUntilAllItsJobsHaveEnded() {
    assertThat(judge(Phase.DRAIN, drain(JobState.Unknown, 1), drain(JobState.Claimed, 1)))
        .isEqualTo(Status.WAITING);
  }

  @Test
  void beforeTheUpdateAKnownFailureGoesBackAndAnUnknownOneIsBroken() {
    assertThat(judge(Phase.DRAIN, drain(JobState.Failed, 1))).isEqualTo(Status.FAILED);
    assertThat(judge(Phase.DRAIN, drain(JobState.Expired, 0))).isEqualTo(Status.FAILED);
    assertThat(judge(Phase.DRAIN, drain(JobState.Failed, 1), drain(JobState.Expired, 2)))
        .isEqualTo(Status.BROKEN);
  }

  @Test
  void anUpdateThatFailedIsBrokenAndOneNobodyBeganGoesBack() {
    assertThat(judge(Phase.UPDATE, job(JobStep.Update, JobState.Failed, 1)))
        .isEqualTo(Status.BROKEN);
    assertThat(judge(Phase.UPDATE, job(JobStep.Update, JobState.Expired, 0)))
        .isEqualTo(Status.FAILED);
    assertThat(
            judge(
                Phase.UPDATE,
                job(JobStep.Update, JobState.Expired, 0),
                job(JobStep.Update, JobState.Done, 1)))
        .as("a batch of which one host was updated cannot go back")
        .isEqualTo(Status.BROKEN);
    List<JobRow> untaken = List.of(job(JobStep.Update, JobState.Expired, 0).orElseThrow());
    assertThat(StepJudgement.judge(Phase.UPDATE, untaken, true).status())
        .as("nor one of which an earlier round was begun")
        .isEqualTo(Status.BROKEN);
  }

  @Test
  void neverBringsAHostBackAsItWasThatSomebodyBeganToUpdate() {
    Optional<JobRow> freeze = freeze(JobState.Done, 1);
    Optional<JobRow> drain = drain(JobState.Done, 1);
    for (JobState end : List.of(JobState.Done, JobState.Failed, JobState.Cancelled)) {
      assertThat(Undo.of(freeze, drain, job(JobStep.Update, end, 1)))
          .isInstanceOf(Undo.Impossible.class);
      assertThat(Undo.of(freeze, drain, job(JobStep.Update, end, 0)))
          .isEqualTo(new Undo.By(JobStep.Recover));
    }
    assertThat(Undo.of(freeze, drain, job(JobStep.Update, JobState.Claimed, 1)))
        .isEqualTo(new Undo.NotYet());
  }

  @Test
  void afterTheUpdateWhateverIsNotDoneIsBroken() {
    for (Phase phase : List.of(Phase.HEALTH, Phase.RECOVER, Phase.UNDO)) {
      assertThat(judge(phase, job(JobStep.Recover, JobState.Failed, 1))).isEqualTo(Status.BROKEN);
      assertThat(judge(phase, job(JobStep.Recover, JobState.Expired, 0))).isEqualTo(Status.BROKEN);
      assertThat(judge(phase, job(JobStep.Recover, JobState.Done, 1))).isEqualTo(Status.DONE);
    }
  }

  @SafeVarargs
  private static Status judge(Phase phase, Optional<JobRow>... jobs) {
    return StepJudgement.judge(
            phase, java.util.Arrays.stream(jobs).map(Optional::get).toList(), false)
        .status();
  }

  private static Undo undo(Optional<JobRow> freeze, Optional<JobRow> drain) {
    return Undo.of(freeze, drain, NONE);
  }

  private static Optional<JobRow> freeze(JobState state, int attempt) {
    return job(JobStep.Freeze, state, attempt);
  }

  private static Optional<JobRow> drain(JobState state, int attempt) {
    return job(JobStep.Drain, state, attempt);
  }

  private static Optional<JobRow> job(JobStep step, JobState state, int attempt) {
    return Optional.of(
        new JobRow(
            "g1." + step + ".h01.1",
            "g1",
            "r1",
            step,
            "h01",
            1,
            1,
            "scheduler/static",
            state,
            attempt,
            Optional.empty(),
            0,
            false,
            "",
            0,
            false));
  }
}
