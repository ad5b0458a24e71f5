package dev.drydock.auditor.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Whatever the clock does while a batch is worked: order is told by numbers. */
final class SetBackClockTest {
  private static final long STEP = 600;

  private static Finding activity(LogBuilder logBuilder) {
    return judged(new SingleActivityCheck(LogBuilder.rollout()), logBuilder);
  }

  private static Finding course(LogBuilder logBuilder) {
    return judged(new StepOrderCheck(LogBuilder.rollout()), logBuilder);
  }

  private static Finding judged(InvariantCheck invariantCheck, LogBuilder logBuilder) {
    invariantCheck.look(logBuilder.page());
    return invariantCheck.finding();
  }

  private static LogBuilder updated() {
    return new LogBuilder()
        .lock("Granted", "g1", "Batch")
        .done("Cordon", 1, 0)
        .opened(1)
        .done("Drain", 2, 0)
        .done("Update", 3, 0)
        .done("Health", 4, 0)
        .done("Recover", 5, 0);
  }

  @Test
  void aHoldThatSeemsToHaveEndedBeforeItsJobsAccusesNobody() {
    LogBuilder logBuilder =
        updated().told("HostUpgraded").setBack(STEP).lock("Ended", "g1", "Batch");
    assertThat(activity(logBuilder).violations()).isEmpty();
    assertThat(course(logBuilder).violations()).isEmpty();
  }

  @Test
  void aCheckThatSeemsToHaveBeenDecidedAfterItsDrainAccusesNobody() {
    LogBuilder logBuilder =
        new LogBuilder()
            .lock("Granted", "g1", "Batch")
            .done("Cordon", 1, 0)
            .opened(1)
            .setBack(STEP)
            .done("Drain", 2, 0);
    assertThat(judged(new AllOrNoneCheck(LogBuilder.rollout()), logBuilder).violations()).isEmpty();
  }

  /** The control: what is wrong is found whether the clock is right or was set back. */
  @Test
  void whatIsGivenOutAfterTheHoldEndedIsFound() {
    for (long step : new long[] {0, STEP}) {
      LogBuilder logBuilder =
          updated()
              .told("HostUpgraded")
              .lock("Ended", "g1", "Batch")
              .setBack(step)
              .done("Verify", 6, 0);
      assertThat(activity(logBuilder).violations())
          .as("set back by %s s", step)
          .extracting(FindingDetail::says)
          .containsExactly("it was given out after the hold of g1 on h1 had ended");
    }
  }

  /** The same of a hold that ended before anybody told how its host fared. */
  @Test
  void aHoldThatEndsBeforeItsHostIsToldIsFound() {
    for (long step : new long[] {0, STEP}) {
      LogBuilder logBuilder =
          updated().lock("Ended", "g1", "Batch").setBack(step).later(1).told("HostUpgraded");
      assertThat(course(logBuilder).violations())
          .as("set back by %s s", step)
          .extracting(FindingDetail::says)
          .containsExactly(
              "the hold of g1 was ended by somebody before its recovery was verified or it was"
                  + " quarantined");
    }
  }

  /** The same of a drain that was given out before any check let the batch go. */
  @Test
  void aDrainBeforeItsCheckIsFound() {
    for (long step : new long[] {0, STEP}) {
      LogBuilder logBuilder =
          new LogBuilder()
              .lock("Granted", "g1", "Batch")
              .done("Cordon", 1, 0)
              .done("Drain", 2, 0)
              .setBack(step)
              .opened(1);
      assertThat(judged(new AllOrNoneCheck(LogBuilder.rollout()), logBuilder).violations())
          .as("set back by %s s", step)
          .extracting(FindingDetail::says)
          .containsExactly(
              "the drain of h1 was given out before an open check let the batch of 1 hosts go");
    }
  }

  @Test
  void aRoundThatSeemsToHaveEndedAfterTheNextBeganAccusesNobody() {
    LogBuilder logBuilder =
        new LogBuilder()
            .done("Drain", 1, 0)
            .setBack(STEP)
            .event("JobPublished", "Drain.2", 0)
            .done("Drain", 2, 0);
    assertThat(judged(new ExactlyOnceCheck(LogBuilder.rollout()), logBuilder).violations())
        .isEmpty();
  }

  /** The control. */
  @Test
  void aRoundThatBeginsBeforeTheLastOneEndedIsFound() {
    LogBuilder logBuilder =
        new LogBuilder()
            .job("Drain", 1, "Done", 1)
            .event("JobClaimed", "Drain.1", 1)
            .job("Drain", 2, "Done", 1)
            .event("JobPublished", "Drain.2", 0)
            .event("JobDone", "Drain.1", 1)
            .event("JobClaimed", "Drain.2", 1)
            .event("JobDone", "Drain.2", 1);
    assertThat(judged(new ExactlyOnceCheck(LogBuilder.rollout()), logBuilder).violations())
        .extracting(FindingDetail::says)
        .containsExactly("it was published while round 1 of the same step had not ended");
  }
}
