package dev.drydock.orchestrator.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.exits.Exit;
import dev.drydock.orchestrator.exits.Shows;
import dev.drydock.orchestrator.jobs.ClaimResult.Granted;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * How jobs end: by a result, by silence, by their deadline; on a real PostgreSQL, with planted
 * faults beside.
 */
@Tag("stack")
class JobEndTest extends BoardFixture {
  @Test
  void acceptsTheSameResultAgainAfterALostAnswer() {
    String job = fleet.drainPublished("lost-answer");
    Granted claim = granted(job);
    assertThat(board.complete(job, claim.secret(), done("drained"), ADAPTER))
        .isInstanceOf(CompletionResult.Accepted.class);
    assertThat(board.complete(job, claim.secret(), done("drained"), ADAPTER))
        .isInstanceOf(CompletionResult.Accepted.class);
    assertThat(refusal(board.complete(job, claim.secret(), done("something else"), ADAPTER)))
        .isEqualTo(CompletionResult.Reason.RESULT_DIFFERS);
    assertThat(
            fleet.value(
                "SELECT count(*) FROM events WHERE kind = 'JobDone' AND host = 'lost-answer'"))
        .isEqualTo("1");
    assertThat(rows.wakeUps(job)).isEqualTo(1);
  }

  @Test
  @Shows(of = JobState.class, states = "Claimed", exit = Exit.TIME_OUT, end = "Pending")
  @Shows(of = JobState.class, states = "Claimed", exit = Exit.CRASH, end = "Pending")
  void givesAJobBackOnlyAfterLeaseAndMargin() {
    String job = fleet.drainPublished("expiry");
    granted(job);
    fleet.workAsIf.leaseEnded(job, 4);
    silence(board, 20);
    assertThat(state(job)).isEqualTo("Claimed");
    fleet.workAsIf.leaseEnded(job, 6);
    silence(board, 20);
    assertThat(state(job)).isEqualTo("Pending");
    assertThat(granted(job).attempt()).isEqualTo(2);
  }

  /** An abort must not wait for a drain of hours; what undoes it is not told to stop. */
  @Test
  @Shows(of = JobState.class, states = "Claimed", exit = Exit.ABORT, end = "Cancelled")
  void aConsumerOfABatchThatGoesBackIsToldToStopAndTheBatchIsWokenWhenItIsSilent() {
    String job = fleet.drainPublished("goes-back");
    Granted claim = granted(job);
    assertThat(board.heartbeat(job, claim.secret())).isPresent();
    rows.goesBack("goes-back", grantOf(job));
    assertThat(board.heartbeat(job, claim.secret())).isEmpty();
    fleet.workAsIf.leaseEnded(job, 6);
    silence(board, 20);
    assertThat(rows.wakeUps(job)).isEqualTo(1);
    fleet.drive(grantOf(job));
    assertThat(state(job)).isEqualTo("Cancelled");
    String undo = rows.job(grantOf(job), JobStep.Recover);
    Granted back = granted(undo);
    assertThat(board.heartbeat(undo, back.secret())).isPresent();
  }

  /**
   * The control of {@link #givesAJobBackOnlyAfterLeaseAndMargin}: a board without margin gives the
   * job away while its consumer may still work.
   */
  @Test
  void aBoardWithoutMarginWouldGiveItAwayTooEarly() {
    String job = fleet.drainPublished("no-margin");
    granted(job);
    fleet.workAsIf.leaseEnded(job, 4);
    silence(board(new BoardTimes(TIMES.lease(), Duration.ZERO, TIMES.staleness(), 3)), 15);
    assertThat(state(job)).isEqualTo("Pending");
  }

  /** Its heartbeats are refused meanwhile, and nobody else may have it. */
  @Test
  void aJobWhoseTimeEndsInARecoveryIsKeptForAfterwards() {
    String job = fleet.drainPublished("recovered");
    granted(job);
    fleet.execute("INSERT INTO recoveries (behind, reason, epoch) VALUES ('etcd', 'test', 2)");
    overdue(job);
    fleet.workAsIf.leaseEnded(job, 6);
    silence(board, 20);
    assertThat(state(job)).isEqualTo("Pending");
    fleet.execute("DELETE FROM recoveries");
    String control = fleet.drainPublished("not-recovered");
    granted(control);
    overdue(control);
    fleet.workAsIf.leaseEnded(control, 6);
    silence(board, 20);
    assertThat(state(control)).as("the control: without a recovery").isEqualTo("Expired");
  }

  /** All its consumers are away for longer than it may take. */
  @Test
  void aJobWhoseConsumerFellSilentWaitsForTheNextAndHasItsWholeTimeThen() {
    String job = fleet.drainPublished("silent");
    granted(job);
    fleet.workAsIf.leaseEnded(job, 6);
    silence(board, 20);
    overdue(job);
    silence(board, 20);
    assertThat(state(job)).isEqualTo("Pending");
    Granted again = granted(job);
    assertThat(again.attempt()).isEqualTo(2);
    assertThat(board.heartbeat(job, again.secret())).as("it has time").isPresent();
  }

  /** All servers were down for an hour: what nobody could do meanwhile is not late. */
  @Test
  void theTimeOfJobsCountsOnlyWhileThereIsABoard() {
    String waits = fleet.drainPublished("away-pending");
    String had = fleet.drainPublished("away-claimed");
    granted(had);
    fleet.workAsIf.leaseEnded(had, 3600);
    overdue(waits, had);
    away(3600);
    silence(board(TIMES), 20);
    assertThat(List.of(state(waits), state(had))).containsExactly("Pending", "Pending");
    assertThat(granted(waits).attempt()).isEqualTo(1);
    assertThat(granted(had).attempt()).isEqualTo(2);
  }

  /** The control of {@link #theTimeOfJobsCountsOnlyWhileThereIsABoard}. */
  @Test
  void whoLooksAllTheTimeEndsWhatIsLate() {
    String waits = fleet.drainPublished("late-pending");
    overdue(waits);
    away(40);
    silence(board(TIMES), 20);
    assertThat(state(waits)).isEqualTo("Expired");
  }

  @Test
  void aForwardStepOfTheDatabasesClockTakesNoJobAway() {
    String job = fleet.drainPublished("forward-step");
    granted(job);
    fleet.workAsIf.leaseEnded(job, 3600);
    silence(board, 19);
    assertThat(state(job)).isEqualTo("Claimed");
    silence(board, 1);
    assertThat(state(job)).as("silence does").isEqualTo("Pending");
  }

  @Test
  void aHeartbeatOrANewProcessBeginsToWatchAnew() {
    String job = fleet.drainPublished("watch-anew");
    Granted claim = granted(job);
    silence(board, 15);
    board.heartbeat(job, claim.secret());
    fleet.workAsIf.leaseEnded(job, 3600);
    silence(board, 15);
    JobBoard restarted = board(TIMES);
    silence(restarted, 6);
    assertThat(state(job)).isEqualTo("Claimed");
    silence(restarted, 14);
    assertThat(state(job)).isEqualTo("Pending");
  }

  @Test
  void refusesTheResultOfALostClaim() {
    String job = fleet.drainPublished("late");
    Granted late = granted(job);
    fleet.workAsIf.leaseEnded(job, 6);
    silence(board, 20);
    assertThat(refusal(board.complete(job, late.secret(), done("late"), ADAPTER)))
        .isEqualTo(CompletionResult.Reason.CLAIM_LOST);
    Granted current = granted(job);
    assertThat(refusal(board.complete(job, late.secret(), done("late"), ADAPTER)))
        .isEqualTo(CompletionResult.Reason.CLAIM_LOST);
    assertThat(board.heartbeat(job, late.secret())).isEmpty();
    assertThat(board.complete(job, current.secret(), done("in time"), ADAPTER))
        .isInstanceOf(CompletionResult.Accepted.class);
    assertThat(refusal(board.complete(job, late.secret(), done("in time"), ADAPTER)))
        .isEqualTo(CompletionResult.Reason.CLAIM_LOST);
  }

  @Test
  @Shows(of = JobState.class, states = "Claimed", exit = Exit.CRASH, end = "Done")
  void keepsTheResultOfAClaimNobodyTookOverAfterItsLease() {
    String job = fleet.drainPublished("server-was-down");
    Granted claim = granted(job);
    fleet.workAsIf.leaseEnded(job, 60);
    assertThat(board.complete(job, claim.secret(), done("while the server was down"), ADAPTER))
        .isInstanceOf(CompletionResult.Accepted.class);
  }

  @Test
  void heartbeatsLengthenTheLease() {
    String job = fleet.drainPublished("heartbeat");
    Granted claim = granted(job);
    fleet.workAsIf.leaseEnded(job, 1);
    assertThat(board.heartbeat(job, claim.secret())).hasValue(15);
    silence(board, 20);
    assertThat(state(job)).isEqualTo("Claimed");
  }

  @Test
  @Shows(of = JobState.class, states = "Claimed", exit = Exit.TIME_OUT, end = "Expired")
  void expiresAJobWhoseAttemptsAreUsedUpAndWakesItsBatch() {
    String job = fleet.drainPublished("attempts");
    for (int attempt = 1; attempt <= 3; attempt++) {
      assertThat(granted(job).attempt()).isEqualTo(attempt);
      fleet.workAsIf.leaseEnded(job, 6);
      silence(board, 20);
    }
    assertThat(state(job)).isEqualTo("Expired");
    assertThat(rows.wakeUps(job)).isEqualTo(1);
  }

  @Test
  void endsAJobAtItsDeadlineButNotWhileALeaseOrItsMarginRuns() {
    String job = fleet.drainPublished("deadline");
    Granted claim = granted(job);
    overdue(job);
    silence(board, 20);
    assertThat(state(job)).isEqualTo("Claimed");
    assertThat(board.heartbeat(job, claim.secret())).isEmpty();
    fleet.workAsIf.leaseEnded(job, 6);
    silence(board, 20);
    assertThat(state(job)).isEqualTo("Expired");
  }

  /** It reads its hosts once nobody does anything to them any more. */
  @Test
  void aBatchThatLostItsRunIsWokenWhenAConsumerIsSilent() {
    String job = fleet.drainPublished("lost-run");
    granted(job);
    fleet.asIf.lost(grantOf(job));
    fleet.workAsIf.leaseEnded(job, 6);
    silence(board, 20);
    assertThat(state(job)).isEqualTo("Pending");
    assertThat(rows.wakeUps(job)).isEqualTo(1);
  }

  @Test
  void keepsTheVerifiedReadOfARecoveryAsObservations() {
    String job = rows.reach(fleet.granted("recover"), JobStep.Recover);
    Granted claim = granted(job);
    long mark = fleet.mark();
    assertThat(board.complete(job, claim.secret(), read("recover", mark), ADAPTER))
        .isInstanceOf(CompletionResult.Accepted.class);
    assertThat(fleet.value("SELECT effect_mark FROM hosts WHERE name = 'recover'"))
        .isEqualTo(Long.toString(mark));
    assertThat(fleet.value("SELECT mark FROM instances WHERE id = 'web@recover'"))
        .isEqualTo(Long.toString(mark));
    assertThat(fleet.value("SELECT source FROM instances WHERE id = 'web@recover'"))
        .isEqualTo("static");
  }

  @Test
  void refusesARecoveryReadBeforeItsClaim() {
    long before = fleet.mark();
    String job = rows.reach(fleet.granted("recover-early"), JobStep.Recover);
    long early = fleet.mark();
    Granted claim = granted(job);
    for (long mark : List.of(before, early, early + 1_000_000)) {
      assertThat(refusal(board.complete(job, claim.secret(), read("recover-early", mark), ADAPTER)))
          .isEqualTo(CompletionResult.Reason.INVALID_RESULT);
    }
    assertThat(refusal(board.complete(job, claim.secret(), done("trust me"), ADAPTER)))
        .isEqualTo(CompletionResult.Reason.INVALID_RESULT);
    assertThat(state(job)).isEqualTo("Claimed");
  }

  @Test
  void aDrainMakesEarlierObservationsVoid() {
    String job = fleet.drainPublished("effect");
    long before = fleet.mark();
    Granted claim = granted(job);
    board.complete(job, claim.secret(), done("drained"), ADAPTER);
    assertThat(Long.parseLong(fleet.value("SELECT effect_mark FROM hosts WHERE name = 'effect'")))
        .isGreaterThan(before);
  }
}
