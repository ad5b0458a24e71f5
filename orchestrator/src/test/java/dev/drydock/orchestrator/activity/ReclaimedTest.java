package dev.drydock.orchestrator.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.activity.Reclaimed.Jobs;
import dev.drydock.orchestrator.jobs.JobRow;
import java.util.Optional;
import org.junit.jupiter.api.Test;

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
  void whatIsBeingUpdatedIsLeftAlone() {
    assertThat(of(update(JobState.Claimed, 1), NONE, NONE, NONE))
        .isInstanceOf(Reclaimed.NotYet.class);
  }

  @Test
  void whatIsBeingRepairedIsLeftAloneAndReadAfterThat() {
    Optional<JobRow> update = update(JobState.Failed, 1);
    assertThat(repaired(update, JobState.Claimed)).isInstanceOf(Reclaimed.NotYet.class);
    assertThat(repaired(update, JobState.Failed)).isEqualTo(new Reclaimed.By(JobStep.Verify));
  }

  private static Reclaimed repaired(Optional<JobRow> update, JobState repair) {
    Jobs jobs = new Jobs(update, job(JobStep.Repair, repair, 6, 1), NONE, NONE, NONE);
    return Reclaimed.of(jobs, 2, false);
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
    for (JobState state : new JobState[] {JobState.Failed, JobState.Unknown, JobState.Expired}) {
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
    assertThat(Reclaimed.of(new Jobs(update, NONE, read, untouched, NONE), 1, false))
        .isInstanceOf(Reclaimed.Impossible.class);
  }

  @Test
  void whatSomebodyHasEndsBeforeItsHostIsRead() {
    Optional<JobRow> update = update(JobState.Done, 1);
    Optional<JobRow> held = job(JobStep.Health, JobState.Claimed, 6, 1);
    assertThat(of(update, NONE, held, NONE)).isInstanceOf(Reclaimed.NotYet.class);
    Optional<JobRow> recovers = job(JobStep.Recover, JobState.Claimed, 7, 1);
    assertThat(of(update, NONE, NONE, recovers)).isInstanceOf(Reclaimed.NotYet.class);
    Optional<JobRow> read = job(JobStep.Verify, JobState.Done, 9, 1);
    assertThat(of(update, read, held, NONE)).isEqualTo(new Reclaimed.By(JobStep.Health));
  }

  @Test
  void whatWasTakenBackFromASilentConsumerIsPublishedAgainOnce() {
    Optional<JobRow> read = job(JobStep.Verify, JobState.Done, 9, 1);
    Optional<JobRow> withdrawn = job(JobStep.Health, JobState.Cancelled, 6, 1);
    assertThat(of(update(JobState.Done, 1), read, withdrawn, NONE))
        .isEqualTo(new Reclaimed.By(JobStep.Health));
  }

  @Test
  void whereRowsDoNotTellEveryHostIsReadByTheRunThatReclaims() {
    Optional<JobRow> early = job(JobStep.Verify, JobState.Failed, 1, 1);
    assertThat(blind(NONE, NONE, 2)).isEqualTo(new Reclaimed.By(JobStep.Verify));
    assertThat(blind(NONE, early, 2)).isEqualTo(new Reclaimed.By(JobStep.Verify));
    assertThat(blind(NONE, early, 1)).isInstanceOf(Reclaimed.Impossible.class);
    assertThat(blind(update(JobState.Claimed, 1), NONE, 2)).isInstanceOf(Reclaimed.NotYet.class);
    Optional<JobRow> read = job(JobStep.Verify, JobState.Done, 9, 1);
    assertThat(blind(NONE, read, 1)).isEqualTo(new Reclaimed.By(JobStep.Health));
  }

  private static Reclaimed blind(Optional<JobRow> update, Optional<JobRow> verify, int run) {
    return Reclaimed.of(new Jobs(update, NONE, verify, NONE, NONE), run, true);
  }

  private static Reclaimed of(
      Optional<JobRow> update,
      Optional<JobRow> verify,
      Optional<JobRow> health,
      Optional<JobRow> recover) {
    return Reclaimed.of(new Jobs(update, NONE, verify, health, recover), 2, false);
  }

  private static Optional<JobRow> update(JobState state, int attempt) {
    return job(JobStep.Update, state, 5, attempt);
  }

  private static Optional<JobRow> job(JobStep step, JobState state, int round, int attempt) {
    return Optional.of(
        new JobRow(
            "g1." + step + ".h01." + round,
            "g1",
            "r1",
            step,
            "h01",
            round,
            1,
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
