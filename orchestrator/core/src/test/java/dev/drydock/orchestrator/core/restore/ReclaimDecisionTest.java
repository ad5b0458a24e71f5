package dev.drydock.orchestrator.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.activity.Reclaimed.Jobs;
import dev.drydock.orchestrator.jobs.JobRow;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of a host whose batch lost run 1 and is reclaimed by run 2. */
class ReclaimedTest {
  private static final Optional<JobRow> NONE = Optional.empty();

  @Test
  void whatNobodyWasSentToUpdateGoesBack() {
    assertThat(of(NONE, NONE, NONE, NONE)).isInstanceOf(Reclaimed.NotUpdated.class);
    assertThat(of(update(JobState.Cancelled, 0), NONE, NONE, NONE))
        .isInstanceOf(Reclaimed.NotUpdated.class);
  }

  @Test
  void whatSomebodyHasIsWaitedForWhateverItIs() {
    Optional<JobRow> update = update(JobState.Claimed, 1);
    Optional<JobRow> read = job(JobStep.Verify, JobState.Done, 9, 1);
    assertThat(Reclaimed.of(new Jobs(true, update, NONE, NONE, NONE), 2, false))
        .isInstanceOf(Reclaimed.NotYet.class);
    assertThat(Reclaimed.of(new Jobs(true, update, read, NONE, NONE), 2, false))
        .isInstanceOf(Reclaimed.NotYet.class);
    assertThat(Reclaimed.of(new Jobs(true, NONE, NONE, NONE, NONE), 2, false))
        .as("nobody had its update")
        .isInstanceOf(Reclaimed.NotUpdated.class);
  }

  @Test
  void whatMayHaveBeenUpdatedIsReadWhateverItsConsumerSaid() {
    for (JobState said :
        new JobState[] {
          JobState.Done, JobState.Failed, JobState.Unknown, JobState.Expired, JobState.Cancelled
        }) {
      assertThat(of(update(said, 1), NONE, NONE, NONE)).isEqualTo(new Reclaimed.By(JobStep.Verify));
    }
  }

  @Test
  void whatWasReadBeforeTheUpdateIsReadAgain() {
    assertThat(of(update(JobState.Done, 1), job(JobStep.Verify, JobState.Done, 2, 1), NONE, NONE))
        .isEqualTo(new Reclaimed.By(JobStep.Verify));
  }

  @Test
  void whatIsOnTheReleaseIsCheckedAndRecovered() {
    Optional<JobRow> update = update(JobState.Done, 1);
    Optional<JobRow> read = job(JobStep.Verify, JobState.Done, 9, 1);
    Optional<JobRow> healthy = job(JobStep.Health, JobState.Done, 6, 1);
    assertThat(of(update, read, NONE, NONE)).isEqualTo(new Reclaimed.By(JobStep.Health));
    assertThat(of(update, read, healthy, NONE)).isEqualTo(new Reclaimed.By(JobStep.Recover));
    assertThat(of(update, read, healthy, job(JobStep.Recover, JobState.Done, 7, 1)))
        .isInstanceOf(Reclaimed.Back.class);
  }

  @Test
  void whatIsNotAsItShouldBeIsLeftToPeople() {
    Optional<JobRow> update = update(JobState.Done, 1);
    for (JobState state : new JobState[] {JobState.Failed, JobState.Unknown}) {
      assertThat(of(update, job(JobStep.Verify, state, 9, 1), NONE, NONE))
          .isInstanceOf(Reclaimed.Impossible.class);
    }
  }

  @Test
  void aJobOfTheLostRunThatNobodyEverHadIsPublishedAgainOnce() {
    Optional<JobRow> update = update(JobState.Done, 1);
    Optional<JobRow> read = job(JobStep.Verify, JobState.Done, 9, 1);
    Optional<JobRow> untouched = job(JobStep.Health, JobState.Expired, 6, 0);
    assertThat(of(update, read, untouched, NONE)).isEqualTo(new Reclaimed.By(JobStep.Health));
    assertThat(Reclaimed.of(new Jobs(false, update, read, untouched, NONE), 1, false))
        .isInstanceOf(Reclaimed.Impossible.class);
  }

  @ParameterizedTest
  @EnumSource(names = {"Cancelled", "Expired"})
  void whatWasTakenBackFromASilentConsumerIsPublishedAgainOnce(JobState silent) {
    Optional<JobRow> update = update(JobState.Done, 1);
    Optional<JobRow> read = job(JobStep.Verify, JobState.Done, 9, 1);
    Optional<JobRow> health = job(JobStep.Health, silent, 6, 1);
    assertThat(of(update, read, health, NONE)).isEqualTo(new Reclaimed.By(JobStep.Health));
    assertThat(Reclaimed.of(new Jobs(false, update, read, health, NONE), 1, false))
        .isInstanceOf(Reclaimed.Impossible.class);
  }

  @Test
  void whereRowsDoNotTellEveryHostIsReadByTheRunThatReclaims() {
    Optional<JobRow> early = job(JobStep.Verify, JobState.Failed, 1, 1);
    assertThat(blind(NONE, NONE, 2)).isEqualTo(new Reclaimed.By(JobStep.Verify));
    assertThat(blind(NONE, early, 2)).isEqualTo(new Reclaimed.By(JobStep.Verify));
    assertThat(blind(NONE, early, 1)).isInstanceOf(Reclaimed.Impossible.class);
    Optional<JobRow> read = job(JobStep.Verify, JobState.Done, 9, 1);
    assertThat(blind(NONE, read, 1)).isEqualTo(new Reclaimed.By(JobStep.Health));
  }

  /** I5: what was done to the host since these rows were copied may have changed it. */
  @Test
  void whereRowsDoNotTellNoJudgementOfAnEarlierRunCounts() {
    Optional<JobRow> update = update(JobState.Done, 1);
    Optional<JobRow> read = job(JobStep.Verify, JobState.Done, 9, 1, 2);
    Optional<JobRow> healthy = job(JobStep.Health, JobState.Done, 6, 1);
    Optional<JobRow> again = job(JobStep.Health, JobState.Done, 10, 1, 2);
    assertThat(Reclaimed.of(new Jobs(false, update, read, healthy, NONE), 2, true))
        .isEqualTo(new Reclaimed.By(JobStep.Health));
    assertThat(Reclaimed.of(new Jobs(false, update, read, again, NONE), 2, true))
        .isEqualTo(new Reclaimed.By(JobStep.Recover));
  }

  private static Reclaimed blind(Optional<JobRow> update, Optional<JobRow> verify, int run) {
    return Reclaimed.of(new Jobs(false, update, verify, NONE, NONE), run, true);
  }

  private static Reclaimed of(
      Optional<JobRow> update,
      Optional<JobRow> verify,
      Optional<JobRow> health,
      Optional<JobRow> recover) {
    return Reclaimed.of(new Jobs(false, update, verify, health, recover), 2, false);
  }

  private static Optional<JobRow> update(JobState state, int attempt) {
    return job(JobStep.Update, state, 5, attempt);
  }

  private static Optional<JobRow> job(JobStep step, JobState state, int round, int attempt) {
    return job(step, state, round, attempt, 1);
  }

  private static Optional<JobRow> job(
      JobStep step, JobState state, int round, int attempt, int run) {
    return Optional.of(
        new JobRow(
            "g1." + step + ".h01." + round,
            "g1",
            "r1",
            step,
            "h01",
            round,
            run,
            "host/PackageUpdate",
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
