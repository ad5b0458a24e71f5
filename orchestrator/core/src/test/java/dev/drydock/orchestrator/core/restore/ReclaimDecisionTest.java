package dev.drydock.orchestrator.core.restore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.restore.ReclaimDecision.Jobs;
import dev.drydock.orchestrator.core.testkit.JobBuilder;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of a host whose batch lost run 1 and is reclaimed by run 2. */
class ReclaimDecisionTest {
  private static final Optional<BatchJob> NONE = Optional.empty();
  private static final Optional<BatchJob> DRAINED = job(Step.DRAIN, JobStatus.DONE, 3, 1);

  @Test
  void whatNobodyWasSentToUpdateGoesBack() {
    assertThat(of(NONE, NONE, NONE, NONE)).isInstanceOf(ReclaimDecision.NotUpdated.class);
    assertThat(of(update(JobStatus.CANCELLED, 0), NONE, NONE, NONE))
        .isInstanceOf(ReclaimDecision.NotUpdated.class);
  }

  @Test
  void whatSomebodyHasIsWaitedForWhateverItIs() {
    Optional<BatchJob> update = update(JobStatus.CLAIMED, 1);
    Optional<BatchJob> read = job(Step.VERIFY, JobStatus.DONE, 9, 1);
    assertThat(ReclaimDecision.of(jobs(true, update, NONE, NONE, NONE), 2, false))
        .isInstanceOf(ReclaimDecision.NotYet.class);
    assertThat(ReclaimDecision.of(jobs(true, update, read, NONE, NONE), 2, false))
        .isInstanceOf(ReclaimDecision.NotYet.class);
    assertThat(ReclaimDecision.of(jobs(true, NONE, NONE, NONE, NONE), 2, false))
        .as("nobody had its update")
        .isInstanceOf(ReclaimDecision.NotUpdated.class);
  }

  @Test
  void whatMayHaveBeenUpdatedIsReadWhateverItsConsumerSaid() {
    for (JobStatus said :
        new JobStatus[] {
          JobStatus.DONE,
          JobStatus.FAILED,
          JobStatus.UNKNOWN,
          JobStatus.EXPIRED,
          JobStatus.CANCELLED
        }) {
      assertThat(of(update(said, 1), NONE, NONE, NONE))
          .isEqualTo(new ReclaimDecision.By(Step.VERIFY));
    }
  }

  @Test
  void whatWasReadBeforeTheUpdateIsReadAgain() {
    assertThat(of(update(JobStatus.DONE, 1), job(Step.VERIFY, JobStatus.DONE, 2, 1), NONE, NONE))
        .isEqualTo(new ReclaimDecision.By(Step.VERIFY));
  }

  @Test
  void whatIsOnTheReleaseIsCheckedAndRecovered() {
    Optional<BatchJob> update = update(JobStatus.DONE, 1);
    Optional<BatchJob> read = job(Step.VERIFY, JobStatus.DONE, 9, 1);
    Optional<BatchJob> healthy = job(Step.HEALTH, JobStatus.DONE, 6, 1);
    assertThat(of(update, read, NONE, NONE)).isEqualTo(new ReclaimDecision.By(Step.HEALTH));
    assertThat(of(update, read, healthy, NONE)).isEqualTo(new ReclaimDecision.By(Step.RECOVER));
    assertThat(of(update, read, healthy, job(Step.RECOVER, JobStatus.DONE, 7, 1)))
        .isInstanceOf(ReclaimDecision.Back.class);
  }

  @Test
  void whatIsNotAsItShouldBeIsLeftToPeople() {
    Optional<BatchJob> update = update(JobStatus.DONE, 1);
    for (JobStatus state : new JobStatus[] {JobStatus.FAILED, JobStatus.UNKNOWN}) {
      assertThat(of(update, job(Step.VERIFY, state, 9, 1), NONE, NONE))
          .isInstanceOf(ReclaimDecision.Impossible.class);
    }
  }

  @Test
  void whatTheHostSaysWasNotBegunGoesBack() {
    Optional<BatchJob> update = update(JobStatus.CANCELLED, 1);
    assertThat(of(update, read(9, 2, false), NONE, NONE))
        .isInstanceOf(ReclaimDecision.Untouched.class);
    assertThat(of(update, read(4, 1, false), NONE, NONE))
        .as("before it was given")
        .isEqualTo(new ReclaimDecision.By(Step.VERIFY));
    assertThat(blind(NONE, read(9, 1, false), 2))
        .as("before the copy was put back")
        .isEqualTo(new ReclaimDecision.By(Step.VERIFY));
    assertThat(blind(NONE, read(9, 2, false), 2)).isInstanceOf(ReclaimDecision.Untouched.class);
  }

  /** Rows say that it is out of service: nobody recovered it since its drain. */
  @Test
  void whatStandsHalfwayIsUpdatedOnceByTheRunThatReclaims() {
    Optional<BatchJob> first = job(Step.UPDATE, JobStatus.CANCELLED, 5, 1);
    assertThat(halfway(DRAINED, first, NONE, 9, NONE))
        .isEqualTo(new ReclaimDecision.By(Step.UPDATE));
    Optional<BatchJob> open = job(Step.UPDATE, JobStatus.PENDING, 10, 0, 2);
    assertThat(halfway(DRAINED, first, open, 9, NONE))
        .as("while nobody has it")
        .isEqualTo(new ReclaimDecision.By(Step.UPDATE));
    Optional<BatchJob> silent = job(Step.UPDATE, JobStatus.PENDING, 10, 1, 2);
    assertThat(halfway(DRAINED, silent, silent, 9, NONE))
        .as("the next consumer attaches to what runs there")
        .isEqualTo(new ReclaimDecision.By(Step.UPDATE));
    for (JobStatus how : new JobStatus[] {JobStatus.DONE, JobStatus.FAILED, JobStatus.UNKNOWN}) {
      Optional<BatchJob> again = job(Step.UPDATE, how, 10, 1, 2);
      assertThat(halfway(DRAINED, again, again, 9, NONE))
          .as("it is read after that")
          .isEqualTo(new ReclaimDecision.By(Step.VERIFY));
      assertThat(halfway(DRAINED, again, again, 11, NONE))
          .isInstanceOf(ReclaimDecision.Impossible.class);
    }
  }

  @Test
  void whatStandsHalfwayAndMayServeIsDrainedFirst() {
    Optional<BatchJob> update = update(JobStatus.CANCELLED, 1);
    Optional<BatchJob> recover = job(Step.RECOVER, JobStatus.FAILED, 7, 1);
    assertThat(halfway(NONE, update, NONE, 9, NONE)).isEqualTo(new ReclaimDecision.By(Step.DRAIN));
    assertThat(halfway(DRAINED, update, NONE, 9, recover))
        .as("somebody was sent to recover it")
        .isEqualTo(new ReclaimDecision.By(Step.DRAIN));
    assertThat(blindHalfway(DRAINED))
        .as("since the copy it may have been recovered")
        .isEqualTo(new ReclaimDecision.By(Step.DRAIN));
    assertThat(blindHalfway(job(Step.DRAIN, JobStatus.DONE, 10, 1, 2)))
        .isEqualTo(new ReclaimDecision.By(Step.UPDATE));
    assertThat(blindHalfway(job(Step.DRAIN, JobStatus.FAILED, 10, 1, 2)))
        .isInstanceOf(ReclaimDecision.Impossible.class);
  }

  @Test
  void whereNeitherRowsNorTheHostTellItIsLeftToPeople() {
    Optional<BatchJob> silent = job(Step.VERIFY, JobStatus.FAILED, 9, 1, 2);
    assertThat(
            ReclaimDecision.of(
                new Jobs(false, DRAINED, update(JobStatus.DONE, 1), NONE, silent, NONE, NONE),
                2,
                false))
        .isInstanceOf(ReclaimDecision.Impossible.class);
  }

  private static ReclaimDecision halfway(
      Optional<BatchJob> drain,
      Optional<BatchJob> update,
      Optional<BatchJob> again,
      int readRound,
      Optional<BatchJob> recover) {
    return ReclaimDecision.of(
        new Jobs(false, drain, update, again, read(readRound, 2, true), NONE, recover), 2, false);
  }

  private static ReclaimDecision blindHalfway(Optional<BatchJob> drain) {
    return ReclaimDecision.of(
        new Jobs(false, drain, NONE, NONE, read(9, 2, true), NONE, NONE), 2, true);
  }

  /** Drained before, and not updated by the run that reclaims. */
  private static Jobs jobs(
      boolean claimed,
      Optional<BatchJob> update,
      Optional<BatchJob> verify,
      Optional<BatchJob> health,
      Optional<BatchJob> recover) {
    return new Jobs(claimed, DRAINED, update, NONE, verify, health, recover);
  }

  private static Optional<BatchJob> read(int round, int run, boolean begun) {
    return Optional.of(
        JobBuilder.job(Step.VERIFY, "h01")
            .round(round)
            .run(run)
            .failed("not on the release")
            .begun(begun)
            .build());
  }

  @Test
  void aJobThatNobodyEverHadIsPublishedAgain() {
    Optional<BatchJob> update = update(JobStatus.DONE, 1);
    Optional<BatchJob> read = job(Step.VERIFY, JobStatus.DONE, 9, 1);
    Optional<BatchJob> untouched = job(Step.HEALTH, JobStatus.EXPIRED, 6, 0);
    assertThat(of(update, read, untouched, NONE)).isEqualTo(new ReclaimDecision.By(Step.HEALTH));
    assertThat(ReclaimDecision.of(jobs(false, update, read, untouched, NONE), 1, false))
        .as("without end, also under the run that reclaims")
        .isEqualTo(new ReclaimDecision.By(Step.HEALTH));
  }

  @Test
  void aRecoveryThatFellSilentIsRepeatedOnceItsHostWasRead() {
    Optional<BatchJob> update = update(JobStatus.DONE, 1);
    Optional<BatchJob> read = job(Step.VERIFY, JobStatus.DONE, 4, 1);
    Optional<BatchJob> health = job(Step.HEALTH, JobStatus.DONE, 5, 1);
    Optional<BatchJob> silent = job(Step.RECOVER, JobStatus.EXPIRED, 6, 1);
    assertThat(of(update, read, health, silent)).isEqualTo(new ReclaimDecision.By(Step.VERIFY));
    Optional<BatchJob> since = job(Step.VERIFY, JobStatus.DONE, 7, 1);
    assertThat(of(update, since, health, silent)).isEqualTo(new ReclaimDecision.By(Step.RECOVER));
  }

  /** To read the host once more would tell nothing: what it is like is as it was read. */
  @Test
  void aRecoveryThatBeganNothingIsAFailureAndNothingToBeRead() {
    Optional<BatchJob> update = update(JobStatus.DONE, 1);
    Optional<BatchJob> read = job(Step.VERIFY, JobStatus.DONE, 6, 1);
    Optional<BatchJob> health = job(Step.HEALTH, JobStatus.DONE, 7, 1);
    JobBuilder recover = JobBuilder.job(Step.RECOVER, "h01").round(8).is(JobStatus.UNKNOWN, 1);
    assertThat(of(update, read, health, Optional.of(recover.begun(false).build())))
        .isInstanceOf(ReclaimDecision.Impossible.class);
    assertThat(of(update, read, health, Optional.of(recover.begun(true).build())))
        .isEqualTo(new ReclaimDecision.By(Step.VERIFY));
  }

  @ParameterizedTest
  @EnumSource(names = {"CANCELLED", "EXPIRED"})
  void whatWasTakenBackFromASilentConsumerIsPublishedAgainOnce(JobStatus silent) {
    Optional<BatchJob> update = update(JobStatus.DONE, 1);
    Optional<BatchJob> read = job(Step.VERIFY, JobStatus.DONE, 9, 1);
    Optional<BatchJob> health = job(Step.HEALTH, silent, 6, 1);
    assertThat(of(update, read, health, NONE)).isEqualTo(new ReclaimDecision.By(Step.HEALTH));
    assertThat(ReclaimDecision.of(jobs(false, update, read, health, NONE), 1, false))
        .isInstanceOf(ReclaimDecision.Impossible.class);
  }

  @Test
  void whereRowsDoNotTellEveryHostIsReadByTheRunThatReclaims() {
    Optional<BatchJob> early = job(Step.VERIFY, JobStatus.FAILED, 1, 1);
    assertThat(blind(NONE, NONE, 2)).isEqualTo(new ReclaimDecision.By(Step.VERIFY));
    assertThat(blind(NONE, early, 2)).isEqualTo(new ReclaimDecision.By(Step.VERIFY));
    assertThat(blind(NONE, early, 1)).isInstanceOf(ReclaimDecision.Impossible.class);
    Optional<BatchJob> read = job(Step.VERIFY, JobStatus.DONE, 9, 1);
    assertThat(blind(NONE, read, 1)).isEqualTo(new ReclaimDecision.By(Step.HEALTH));
  }

  /** I5: what was done to the host since these rows were copied may have changed it. */
  @Test
  void whereRowsDoNotTellNoJudgementOfAnEarlierRunCounts() {
    Optional<BatchJob> update = update(JobStatus.DONE, 1);
    Optional<BatchJob> read = job(Step.VERIFY, JobStatus.DONE, 9, 1, 2);
    Optional<BatchJob> healthy = job(Step.HEALTH, JobStatus.DONE, 6, 1);
    Optional<BatchJob> again = job(Step.HEALTH, JobStatus.DONE, 10, 1, 2);
    assertThat(ReclaimDecision.of(jobs(false, update, read, healthy, NONE), 2, true))
        .isEqualTo(new ReclaimDecision.By(Step.HEALTH));
    assertThat(ReclaimDecision.of(jobs(false, update, read, again, NONE), 2, true))
        .isEqualTo(new ReclaimDecision.By(Step.RECOVER));
  }

  private static ReclaimDecision blind(
      Optional<BatchJob> update, Optional<BatchJob> verify, int run) {
    return ReclaimDecision.of(jobs(false, update, verify, NONE, NONE), run, true);
  }

  private static ReclaimDecision of(
      Optional<BatchJob> update,
      Optional<BatchJob> verify,
      Optional<BatchJob> health,
      Optional<BatchJob> recover) {
    return ReclaimDecision.of(jobs(false, update, verify, health, recover), 2, false);
  }

  private static Optional<BatchJob> update(JobStatus state, int attempt) {
    return job(Step.UPDATE, state, 5, attempt);
  }

  private static Optional<BatchJob> job(Step step, JobStatus state, int round, int attempt) {
    return job(step, state, round, attempt, 1);
  }

  private static Optional<BatchJob> job(
      Step step, JobStatus state, int round, int attempt, int run) {
    return Optional.of(
        JobBuilder.job(step, "h01").round(round).run(run).is(state, attempt).build());
  }
}
