package dev.drydock.auditor.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What no clean or falsified run of a server shows: locks of others, and what is between them. */
final class ChecksTest {
  private static final Duration STALENESS = Duration.ofSeconds(5);

  private static Finding judged(InvariantCheck invariantCheck, LogBuilder logBuilder) {
    invariantCheck.look(logBuilder.page());
    return invariantCheck.finding();
  }

  private static Finding activity(LogBuilder logBuilder) {
    return judged(new SingleActivityCheck(LogBuilder.rollout()), logBuilder);
  }

  private static Finding together(LogBuilder logBuilder) {
    return judged(new AllOrNoneCheck(LogBuilder.rollout()), logBuilder);
  }

  private static Finding order(LogBuilder logBuilder) {
    return judged(
        new FifoCheck(LogBuilder.rollout(), Duration.ofMinutes(30), STALENESS), logBuilder);
  }

  @Test
  void whoJudgedNothingDoesNotCallItHeld() {
    assertThat(order(new LogBuilder()).verdict()).isEqualTo(InvariantVerdict.UNKNOWN);
    assertThat(order(new LogBuilder()).gaps()).containsExactly("nothing was there to be judged");
  }

  @Test
  void aLapsedLockExcludesNobody() {
    LogBuilder logBuilder =
        new LogBuilder().lock("Granted", "t1", "Session").lock("Lapsed", "t1", "Session");
    assertThat(activity(logBuilder.lock("Granted", "t2", "Session")).verdict())
        .isEqualTo(InvariantVerdict.HELD);
  }

  @Test
  void aQuarantineExcludesEverybody() {
    LogBuilder logBuilder = new LogBuilder().lock("Quarantined", "g0", "Quarantine");
    assertThat(activity(logBuilder.lock("Granted", "t2", "Session")).violations())
        .extracting(FindingDetail::says)
        .containsExactly("h1 was granted to t2 while g0 had it");
  }

  @Test
  void afterAGapNobodyIsAccused() {
    LogBuilder logBuilder =
        new LogBuilder()
            .lock("Granted", "t1", "Session")
            .lock("Gap", "", "")
            .lock("Granted", "t2", "Session");
    assertThat(activity(logBuilder).violated()).isZero();
  }

  /**
   * PostgreSQL was put back to when g1 was under way, and it has ended since: its end is written
   * again, its host is locked again, and is read and brought back under it.
   */
  @Test
  void aHoldThatWasLockedAgainIsJudgedByWhatCameLast() {
    LogBuilder logBuilder =
        new LogBuilder().lock("Granted", "g1", "Batch").lock("Ended", "g1", "Batch").reclaimed();
    logBuilder.done("Verify", 1_000_004, 0);
    assertThat(activity(logBuilder).violations()).as("before the lock is written").isEmpty();
    logBuilder.lock("Granted", "g1", "Batch").done("Recover", 1_000_005, 0);
    assertThat(activity(logBuilder).violations()).isEmpty();
    assertThat(together(logBuilder).violations()).isEmpty();
    logBuilder.epochBegins().lock("Gap", "", "").done("Uncordon", 1_000_006, 0);
    assertThat(activity(logBuilder).violations()).isEmpty();
    assertThat(together(logBuilder).violations()).isEmpty();
    logBuilder.lock("Ended", "g1", "Batch").done("Health", 1_000_007, 0);
    assertThat(activity(logBuilder).violations())
        .extracting(FindingDetail::object, FindingDetail::says)
        .containsExactly(
            tuple("job/Health.1000007", "it was given out after the hold of g1 on h1 had ended"));
  }

  /** Each of its hosts is locked again by itself. */
  @Test
  void hostsThatWereLockedAgainWereLockedTogetherIfTheyWereSoAtFirst() {
    LogBuilder once =
        new LogBuilder().together("h1", "h2").lock("Granted", "g1", "Batch", "h1", "h2");
    LogBuilder again =
        once.lock("Ended", "g1", "Batch", "h1", "h2")
            .lock("Granted", "g1", "Batch", "h1")
            .lock("Granted", "g1", "Batch", "h2")
            .done("Verify", 4, 0);
    assertThat(together(again).violations()).isEmpty();
    assertThat(together(again).judged()).isOne();
  }

  @Test
  void hostsThatWereNotLockedTogetherAreFound() {
    LogBuilder apart =
        new LogBuilder()
            .together("h1", "h2")
            .lock("Granted", "g1", "Batch", "h1")
            .lock("Granted", "g1", "Batch", "h2")
            .done("Cordon", 1, 0);
    assertThat(together(apart).violations())
        .extracting(FindingDetail::says)
        .containsExactly("its hosts were not locked together but at revisions [100, 101]");
    apart.lock("Ended", "g1", "Batch", "h1", "h2").lock("Granted", "g1", "Batch", "h1", "h2");
    assertThat(together(apart).violated()).as("also once they are").isOne();
  }

  /** Their first locks may be among what was lost: these were made to have them held again. */
  @Test
  void nobodyKnowsWhetherHostsWereLockedTogetherBeforeAGap() {
    LogBuilder logBuilder =
        new LogBuilder()
            .together("h1", "h2", "h3")
            .lock("Gap", "", "")
            .lock("Granted", "g1", "Batch", "h1")
            .lock("Granted", "g1", "Batch", "h2")
            .done("Verify", 4, 0);
    assertThat(together(logBuilder).violations()).isEmpty();
  }

  @Test
  void anOlderTokenAfterANewerIsFound() {
    LogBuilder logBuilder =
        new LogBuilder()
            .lock("Granted", "g1", "Batch")
            .job("Update", 2, "Claimed", 1)
            .job("Drain", 1, "Claimed", 1)
            .event("JobClaimed", "Update.2", 1)
            .event("JobClaimed", "Drain.1", 1);
    assertThat(activity(logBuilder).violations())
        .extracting(FindingDetail::says)
        .containsExactly(
            "token 1.100.1.1 was given out after 1.100.2.1, so that an executor could not tell which is"
                + " newer");
  }

  @Test
  void aSessionMayBePassedForHalfAnHourAndNotLonger() {
    LogBuilder logBuilder =
        new LogBuilder()
            .lock("Queued", "t1", "Session")
            .lock("Granted", "t2", "Session")
            .lock("Ended", "t2", "Session")
            .later(29 * 60)
            .lock("Granted", "t3", "Session");
    assertThat(order(logBuilder).verdict()).isEqualTo(InvariantVerdict.HELD);
    logBuilder.lock("Ended", "t3", "Session").later(120).lock("Granted", "t4", "Session");
    assertThat(order(logBuilder).violations())
        .extracting(FindingDetail::says)
        .containsExactly(
            "t4 was granted before t1, which was accepted earlier for the same hosts and was passed for"
                + " 31 minutes already");
  }

  @Test
  void whoWaitsForMoreHostsMayHaveBeenBlocked() {
    LogBuilder logBuilder =
        new LogBuilder()
            .lock("Queued", "t1", "Session", "h1", "h2")
            .lock("Granted", "t2", "Session")
            .lock("Ended", "t2", "Session")
            .later(3600)
            .lock("Granted", "t3", "Session");
    assertThat(order(logBuilder).verdict()).isEqualTo(InvariantVerdict.UNKNOWN);
    assertThat(order(logBuilder).gaps())
        .singleElement()
        .asString()
        .contains("t3", "t1", "not kept");
  }

  @Test
  void whoLeftOrWasServedIsPassedByNobody() {
    LogBuilder logBuilder =
        new LogBuilder()
            .lock("Queued", "t1", "Batch")
            .lock("Queued", "t2", "Batch")
            .lock("Left", "t1", "Batch")
            .lock("Granted", "t2", "Batch");
    assertThat(order(logBuilder).verdict()).isEqualTo(InvariantVerdict.HELD);
  }

  @Test
  void anotherRolloutThatAsksMayNotBePassed() {
    assertThat(order(passing(new LogBuilder())).violations())
        .extracting(FindingDetail::says)
        .containsExactly(
            "g2 was granted before r2.h1, which was accepted earlier for the same hosts");
    LogBuilder resumed =
        new LogBuilder()
            .change("r2", "RolloutChanged", "Paused")
            .change("r2", "RolloutChanged", "Running");
    assertThat(order(passing(resumed.later(5))).violated()).isOne();
    LogBuilder released =
        new LogBuilder().change("r2", "CohortHalted", "").change("r2", "CohortsReleased", "");
    assertThat(order(passing(released.later(5))).violated()).isOne();
  }

  @Test
  void whoDoesNotAskIsPassedByNobody() {
    assertThat(order(passing(new LogBuilder().change("r2", "RolloutChanged", "Paused"))).violated())
        .isZero();
    assertThat(order(passing(new LogBuilder().change("r2", "RolloutEnded", "Aborted"))).violated())
        .isZero();
    assertThat(order(passing(new LogBuilder().change("r2", "CohortHalted", ""))).violated())
        .isZero();
    assertThat(
            order(passing(new LogBuilder().change("r2", "HostUpgradeChanged", "Cancelled")))
                .violated())
        .isZero();
  }

  /** A grant is written down moments after it was made, and by then the other asks again. */
  @Test
  void whoHasJustBegunToAskIsPassedByNobody() {
    LogBuilder resumed =
        new LogBuilder()
            .change("r2", "RolloutChanged", "Paused")
            .change("r2", "RolloutChanged", "Running");
    assertThat(order(passing(resumed)).violated()).isZero();
  }

  private static LogBuilder passing(LogBuilder before) {
    return before.batch("Queued", "r2.h1", "r2").batch("Granted", "g2", "r1");
  }

  @Test
  void aSecondConsumerBesideTheFirstIsFound() {
    LogBuilder logBuilder =
        new LogBuilder()
            .job("Drain", 1, "Claimed", 2)
            .event("JobClaimed", "Drain.1", 1)
            .event("JobClaimed", "Drain.1", 2);
    assertThat(judged(new ExactlyOnceCheck(LogBuilder.rollout()), logBuilder).violations())
        .extracting(FindingDetail::says)
        .containsExactly("it was given to a second consumer while the first had it");
  }

  @Test
  void aSecondConsumerAfterTheFirstLostTheJobIsNone() {
    LogBuilder logBuilder =
        new LogBuilder()
            .job("Drain", 1, "Done", 2)
            .event("JobClaimed", "Drain.1", 1)
            .event("JobClaimLost", "Drain.1", 1)
            .event("JobClaimed", "Drain.1", 2)
            .event("JobDone", "Drain.1", 2);
    assertThat(judged(new ExactlyOnceCheck(LogBuilder.rollout()), logBuilder).verdict())
        .isEqualTo(InvariantVerdict.HELD);
  }

  @Test
  void onlyWhatWasDoneMayBeUndone() {
    assertThat(undone("Cordon", "Uncordon").verdict()).isEqualTo(InvariantVerdict.UNKNOWN);
    assertThat(undone("Cordon", "Uncordon").violated()).isZero();
    assertThat(undone("Verify", "Uncordon").violations())
        .extracting(FindingDetail::says)
        .containsExactly("g1 undid what it had not done");
    assertThat(undone("Drain", "Uncordon").violations())
        .extracting(FindingDetail::says)
        .containsExactly("g1 ended, but what it stopped was not started again");
  }

  /** As people return a quarantined host: what was stopped is told by an earlier batch. */
  @Test
  void whoBringsBackWhatOthersLeftRecoversWithoutADrain() {
    LogBuilder back = new LogBuilder().done("Health", 2, 0).done("Recover", 3, 0);
    assertThat(wayOut(back.blind()).violated()).isZero();
  }

  /** An ended grant whose consumers did these two things; its history is behind. */
  private static Finding undone(String first, String second) {
    return wayOut(new LogBuilder().job(first, 1, "Done", 1).job(second, 2, "Done", 1));
  }

  private static Finding wayOut(LogBuilder logBuilder) {
    LogPage logPage = logBuilder.page();
    LoggedGrant open = logPage.grants().getFirst();
    LoggedGrant ended =
        new LoggedGrant(
            open.id(),
            open.hosts(),
            "ended",
            open.epoch(),
            open.revision(),
            open.blind(),
            Optional.of("Requeued"),
            LogBuilder.BEGIN,
            Optional.of(LogBuilder.BEGIN),
            Optional.of(LogBuilder.BEGIN));
    UndoCheck invariantCheck = new UndoCheck(LogBuilder.rollout());
    invariantCheck.look(
        new LogPage(
            logPage.hosts(),
            List.of(ended),
            List.of(),
            logPage.jobs(),
            logPage.hooks(),
            List.of(),
            List.of(),
            List.of()));
    return invariantCheck.finding();
  }

  /** What health had found before a host was started anew says nothing of it. */
  @Test
  void aRecoverWithoutHealthSinceTheHostWasSwitchedOffIsFound() {
    LogBuilder read = updated().repaired("Diagnose", 5).done("Recover", 6, 0);
    assertThat(judged(new StepOrderCheck(LogBuilder.rollout()), read).violations()).isEmpty();
    LogBuilder cycled = updated().repaired("PowerCycle", 5).repaired("Verify", 6);
    assertThat(
            judged(new StepOrderCheck(LogBuilder.rollout()), cycled.done("Recover", 7, 0))
                .violations())
        .extracting(FindingDetail::says)
        .containsExactly("Recover was given out before its health passed, under g1");
    LogBuilder healthy = updated().repaired("PowerCycle", 5).done("Health", 6, 0);
    assertThat(
            judged(new StepOrderCheck(LogBuilder.rollout()), healthy.done("Recover", 7, 0))
                .violations())
        .isEmpty();
  }

  /** That its batch went back excuses only hosts that nobody began to update. */
  @Test
  void aHostThatWasBegunToBeUpdatedIsRecoveredWithoutHealthByNobody() {
    LogBuilder begun =
        drained()
            .job("Update", 3, "Failed", 1)
            .event("JobClaimed", "Update.3", 1)
            .event("JobFailed", "Update.3", 1);
    assertThat(
            judged(new StepOrderCheck(LogBuilder.rollout()), begun.done("Recover", 4, 0).wentBack())
                .violations())
        .extracting(FindingDetail::says)
        .containsExactly("Recover was given out before its health passed, under g1");
    LogBuilder untaken =
        drained().job("Update", 3, "Expired", 0).event("JobExpired", "Update.3", 0);
    assertThat(
            judged(
                    new StepOrderCheck(LogBuilder.rollout()),
                    untaken.done("Recover", 4, 0).wentBack())
                .violations())
        .isEmpty();
    LogBuilder reclaimed = updated().done("Recover", 5, 0).wentBack();
    assertThat(judged(new StepOrderCheck(LogBuilder.rollout()), reclaimed).violations())
        .as("the others of its batch went back after it was judged and recovered")
        .isEmpty();
  }

  /** Its consumer was lost, and the host says that nothing was begun: it serves as it was. */
  @Test
  void aHostThatWasReadToBeUntouchedMayBeRecoveredAsItIs() {
    for (boolean begun : new boolean[] {false, true}) {
      LogBuilder logBuilder =
          drained()
              .job("Update", 3, "Cancelled", 1)
              .event("JobClaimed", "Update.3", 1)
              .read(4, begun)
              .done("Recover", 5, 0)
              .wentBack();
      assertThat(judged(new StepOrderCheck(LogBuilder.rollout()), logBuilder).violated())
          .as("begun: %s", begun)
          .isEqualTo(begun ? 1 : 0);
    }
  }

  /** Also one that stopped nothing may have taken instances out of rotation. */
  @Test
  void aHostThatSomebodyDrainedIsRecoveredWhateverTheDrainSays() {
    for (boolean begun : new boolean[] {false, true}) {
      LogBuilder logBuilder = new LogBuilder().done("Cordon", 1, 0).notDrained(2, begun);
      assertThat(violations(logBuilder.done("Uncordon", 3, 0))).as("begun: %s", begun).isEqualTo(2);
      logBuilder = new LogBuilder().done("Cordon", 1, 0).notDrained(2, begun);
      assertThat(violations(logBuilder.done("Recover", 3, 0))).as("control: %s", begun).isZero();
    }
  }

  private static long violations(LogBuilder logBuilder) {
    logBuilder.told("HostReverted").wentBack();
    return judged(new StepOrderCheck(LogBuilder.rollout()), logBuilder).violated()
        + wayOut(logBuilder).violated();
  }

  private static LogBuilder drained() {
    return new LogBuilder().done("Cordon", 1, 0).done("Drain", 2, 0);
  }

  private static LogBuilder updated() {
    return drained().done("Update", 3, 0).done("Health", 4, 0);
  }
}
