package dev.drydock.orchestrator.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.activity.BatchRun;
import dev.drydock.orchestrator.activity.Phase;
import dev.drydock.orchestrator.jobs.Claim.Granted;
import dev.drydock.orchestrator.jobs.Claim.Refused;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The promises of the board, each on a real PostgreSQL; a planted fault beside a promise shows that
 * its test can fail.
 */
@Tag("stack")
class JobBoardTest {
  private static final BoardTimes TIMES =
      new BoardTimes(Duration.ofSeconds(15), Duration.ofSeconds(5), Duration.ofSeconds(30), 3);
  private static final Principal ADAPTER =
      new Principal("static-adapter", "sre", Role.CONSUMER, Set.of("scheduler/static"));

  private static TestDatabase database;
  private static Fleet fleet;
  private static JobBoard board;

  @BeforeAll
  static void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    board = new JobBoard(database.jdbi(), TIMES);
  }

  @AfterAll
  static void stop() {
    database.close();
  }

  @Test
  void givesAJobToExactlyOneOfManyClaimers() throws Exception {
    String job = fleet.drainPublished("once");
    List<Claim> claims = together(16, () -> board.claim(job, "consumer", ADAPTER));
    assertThat(claims).filteredOn(Granted.class::isInstance).hasSize(1);
    assertThat(claims)
        .filteredOn(Refused.class::isInstance)
        .extracting(claim -> ((Refused) claim).reason())
        .containsOnly(Claim.Reason.JOB_NOT_PENDING);
    assertThat(fleet.value("SELECT attempt FROM jobs WHERE id = '" + job + "'")).isEqualTo("1");
  }

  @Test
  void handsOutATokenOfEpochHoldRoundAndAttempt() {
    String job = fleet.drainPublished("token");
    Granted claim = granted(job);
    String hold = fleet.value("SELECT hold_revision FROM grants WHERE id = '" + grantOf(job) + "'");
    assertThat(claim.token()).isEqualTo("1." + hold + ".1.1");
    assertThat(claim.leaseSeconds()).isEqualTo(15);
    assertThat(claim.job()).contains("\"web@token\"", "\"Claimed\"");
  }

  @Test
  void refusesAConsumerOfAnotherTopic() {
    String job = fleet.drainPublished("topic");
    Principal operator = new Principal("op", "sre", Role.CONSUMER, Set.of("host/PackageUpdate"));
    assertThat(board.claim(job, "op", operator)).isInstanceOf(Refused.class);
    assertThat(reason(board.claim(job, "op", operator))).isEqualTo(Claim.Reason.TOPIC_NOT_YOURS);
    granted(job);
  }

  @Test
  void acceptsTheSameResultAgainAfterALostAnswer() {
    String job = fleet.drainPublished("lost-answer");
    Granted claim = granted(job);
    assertThat(board.complete(job, claim.secret(), done("drained")))
        .isInstanceOf(Completion.Accepted.class);
    assertThat(board.complete(job, claim.secret(), done("drained")))
        .isInstanceOf(Completion.Accepted.class);
    assertThat(refusal(board.complete(job, claim.secret(), done("something else"))))
        .isEqualTo(Completion.Reason.RESULT_DIFFERS);
    assertThat(
            fleet.value(
                "SELECT count(*) FROM events WHERE kind = 'JobDone' AND host = 'lost-answer'"))
        .isEqualTo("1");
    assertThat(fleet.value("SELECT count(*) FROM wakeups WHERE cause = '" + job + "'"))
        .isEqualTo("1");
  }

  @Test
  void givesAJobBackOnlyAfterLeaseAndMargin() {
    String job = fleet.drainPublished("expiry");
    granted(job);
    leaseEnded(job, 4);
    board.expire();
    assertThat(state(job)).isEqualTo("Claimed");
    leaseEnded(job, 6);
    board.expire();
    assertThat(state(job)).isEqualTo("Pending");
    assertThat(granted(job).attempt()).isEqualTo(2);
  }

  /**
   * The control of the test above: a board without margin gives the job away while its consumer may
   * still work.
   */
  @Test
  void aBoardWithoutMarginWouldGiveItAwayTooEarly() {
    String job = fleet.drainPublished("no-margin");
    granted(job);
    leaseEnded(job, 4);
    new JobBoard(
            database.jdbi(), new BoardTimes(TIMES.lease(), Duration.ZERO, TIMES.staleness(), 3))
        .expire();
    assertThat(state(job)).isEqualTo("Pending");
  }

  @Test
  void refusesTheResultOfALostClaim() {
    String job = fleet.drainPublished("late");
    Granted late = granted(job);
    leaseEnded(job, 6);
    board.expire();
    assertThat(refusal(board.complete(job, late.secret(), done("late"))))
        .isEqualTo(Completion.Reason.CLAIM_LOST);
    Granted current = granted(job);
    assertThat(refusal(board.complete(job, late.secret(), done("late"))))
        .isEqualTo(Completion.Reason.CLAIM_LOST);
    assertThat(board.heartbeat(job, late.secret())).isEmpty();
    assertThat(board.complete(job, current.secret(), done("in time")))
        .isInstanceOf(Completion.Accepted.class);
    assertThat(refusal(board.complete(job, late.secret(), done("in time"))))
        .isEqualTo(Completion.Reason.CLAIM_LOST);
  }

  @Test
  void keepsTheResultOfAClaimNobodyTookOverAfterItsLease() {
    String job = fleet.drainPublished("server-was-down");
    Granted claim = granted(job);
    leaseEnded(job, 60);
    assertThat(board.complete(job, claim.secret(), done("while the server was down")))
        .isInstanceOf(Completion.Accepted.class);
  }

  @Test
  void heartbeatsLengthenTheLease() {
    String job = fleet.drainPublished("heartbeat");
    Granted claim = granted(job);
    leaseEnded(job, 1);
    assertThat(board.heartbeat(job, claim.secret())).hasValue(15);
    board.expire();
    assertThat(state(job)).isEqualTo("Claimed");
  }

  @Test
  void expiresAJobWhoseAttemptsAreUsedUpAndWakesItsBatch() {
    String job = fleet.drainPublished("attempts");
    for (int attempt = 1; attempt <= 3; attempt++) {
      assertThat(granted(job).attempt()).isEqualTo(attempt);
      leaseEnded(job, 6);
      board.expire();
    }
    assertThat(state(job)).isEqualTo("Expired");
    assertThat(fleet.value("SELECT count(*) FROM wakeups WHERE cause = '" + job + "'"))
        .isEqualTo("1");
  }

  @Test
  void endsAJobAtItsDeadlineButNotWhileALeaseOrItsMarginRuns() {
    String job = fleet.drainPublished("deadline");
    Granted claim = granted(job);
    fleet.execute("UPDATE jobs SET deadline = clock_timestamp() WHERE id = '" + job + "'");
    board.expire();
    assertThat(state(job)).isEqualTo("Claimed");
    assertThat(board.heartbeat(job, claim.secret())).isEmpty();
    leaseEnded(job, 6);
    board.expire();
    assertThat(state(job)).isEqualTo("Expired");
  }

  @Test
  void publishingAgainPublishesNothingNew() {
    String job = fleet.drainPublished("same-round");
    BatchRun run = fleet.run(grantOf(job));
    fleet.activities.pursue(run, Phase.DRAIN);
    Granted claim = granted(job);
    fleet.activities.pursue(run, Phase.DRAIN);
    board.complete(job, claim.secret(), done("drained"));
    assertThat(fleet.activities.pursue(run, Phase.DRAIN).status().name()).isEqualTo("DONE");
    assertThat(fleet.value("SELECT count(*) FROM jobs WHERE grant_id = '" + grantOf(job) + "'"))
        .isEqualTo("1");
  }

  @Test
  void aRoundNobodyWasGivenIsFollowedByAnotherInTheNextRun() {
    String job = fleet.drainPublished("next-round");
    fleet.execute("UPDATE jobs SET state = 'Expired' WHERE id = '" + job + "'");
    BatchRun next = fleet.activities.begin(grantOf(job), "a later run");
    fleet.activities.pursue(next, Phase.DRAIN);
    assertThat(fleet.value("SELECT max(round) FROM jobs WHERE grant_id = '" + grantOf(job) + "'"))
        .isEqualTo("2");
  }

  @Test
  void refusesAJobOfAnOldRunUntilTheNewRunTakesItOver() {
    String job = fleet.drainPublished("old-run");
    BatchRun next = fleet.activities.begin(grantOf(job), "a later run");
    assertThat(board.claimable(List.of("scheduler/static"), 100)).noneMatch(of(job));
    assertThat(reason(board.claim(job, "consumer", ADAPTER)))
        .isEqualTo(Claim.Reason.GRANT_NOT_ALIVE);
    fleet.activities.pursue(next, Phase.DRAIN);
    assertThat(board.claimable(List.of("scheduler/static"), 100)).anyMatch(of(job));
    granted(job);
  }

  /**
   * The control of the test above: a board that does not compare runs gives the old run's job away.
   */
  @Test
  void aBoardThatDoesNotCompareRunsWouldGiveItAway() {
    String job = fleet.drainPublished("old-run-control");
    fleet.activities.begin(grantOf(job), "a later run");
    Claims blind =
        new Claims(TIMES) {
          @Override
          boolean runDiffers(GrantRow grant, JobRow row) {
            return false;
          }
        };
    assertThat(new JobBoard(database.jdbi(), TIMES, blind).claim(job, "consumer", ADAPTER))
        .isInstanceOf(Granted.class);
  }

  @Test
  void refusesTheFirstDrainOnAStaleCheckAndAsksForANewOne() {
    String job = fleet.drainPublished("stale");
    String grant = grantOf(job);
    fleet.execute(
        "UPDATE grants SET opened_at = clock_timestamp() - interval '31 s' WHERE id = '"
            + grant
            + "'");
    assertThat(reason(board.claim(job, "consumer", ADAPTER))).isEqualTo(Claim.Reason.CHECK_STALE);
    assertThat(reason(board.claim(job, "consumer", ADAPTER))).isEqualTo(Claim.Reason.CHECK_STALE);
    assertThat(fleet.value("SELECT max(round) FROM checks WHERE grant_id = '" + grant + "'"))
        .as("asking twice is asking once")
        .isEqualTo("2");
    assertThat(board.claimable(List.of("scheduler/static"), 100)).noneMatch(of(job));
    fleet.decide(grant, Fleet.GRANT);
    granted(job);
  }

  @Test
  void aHoldVerdictBeforeTheFirstDrainSendsTheBatchBack() {
    String job = fleet.drainPublished("held");
    String grant = grantOf(job);
    fleet.execute(
        "UPDATE grants SET opened_at = clock_timestamp() - interval '31 s' WHERE id = '"
            + grant
            + "'");
    board.claim(job, "consumer", ADAPTER);
    fleet.decide(grant, Fleet.HOLD);
    assertThat(fleet.activities.pursue(fleet.run(grant), Phase.DRAIN).status().name())
        .isEqualTo("HELD");
  }

  @Test
  void refusesClaimsOfAnAbortedGrant() {
    String job = fleet.drainPublished("abort");
    fleet.execute("UPDATE grants SET abort = true WHERE id = '" + grantOf(job) + "'");
    assertThat(reason(board.claim(job, "consumer", ADAPTER)))
        .isEqualTo(Claim.Reason.GRANT_NOT_ALIVE);
  }

  @Test
  void keepsTheVerifiedReadOfARecoveryAsObservations() {
    String job = recoverPublished("recover");
    Granted claim = granted(job);
    long mark = fleet.mark();
    assertThat(board.complete(job, claim.secret(), read("recover", mark)))
        .isInstanceOf(Completion.Accepted.class);
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
    String job = recoverPublished("recover-early");
    long early = fleet.mark();
    Granted claim = granted(job);
    for (long mark : List.of(before, early, early + 1_000_000)) {
      assertThat(refusal(board.complete(job, claim.secret(), read("recover-early", mark))))
          .isEqualTo(Completion.Reason.INVALID_RESULT);
    }
    assertThat(refusal(board.complete(job, claim.secret(), done("trust me"))))
        .isEqualTo(Completion.Reason.INVALID_RESULT);
    assertThat(state(job)).isEqualTo("Claimed");
  }

  @Test
  void aDrainMakesEarlierObservationsVoid() {
    String job = fleet.drainPublished("effect");
    long before = fleet.mark();
    Granted claim = granted(job);
    board.complete(job, claim.secret(), done("drained"));
    assertThat(Long.parseLong(fleet.value("SELECT effect_mark FROM hosts WHERE name = 'effect'")))
        .isGreaterThan(before);
  }

  private static String recoverPublished(String host) {
    String grant = fleet.granted(host);
    BatchRun run = fleet.run(grant);
    database
        .jdbi()
        .useTransaction(
            handle ->
                JobBoard.publish(
                    handle,
                    GrantRow.lockForRun(handle, grant, run.run()),
                    JobStep.Recover,
                    List.of(host)));
    return grant + ".Recover." + host + ".1";
  }

  private static Granted granted(String job) {
    Claim claim = board.claim(job, "consumer", ADAPTER);
    assertThat(claim).isInstanceOf(Granted.class);
    return (Granted) claim;
  }

  private static Claim.Reason reason(Claim claim) {
    return ((Refused) claim).reason();
  }

  private static Completion.Reason refusal(Completion completion) {
    return ((Completion.Refused) completion).reason();
  }

  private static Report done(String message) {
    String json = "{\"outcome\": \"Done\", \"message\": \"" + message + "\", \"facts\": {}}";
    return new Report(JobOutcome.Done, message, json, Optional.empty(), Optional.empty());
  }

  private static Report read(String host, long mark) {
    String json =
        """
        {"outcome": "Done", "message": "recovered", "facts": {}, "mark": %d, "instances": [
          {"id": "web@%s", "application": "web", "host": "%s", "zone": "z1", "health": "Healthy",
           "detail": "", "observedAt": 1}]}
        """
            .formatted(mark, host, host);
    return new Report(
        JobOutcome.Done, "recovered", json, Optional.of(mark), Optional.of(List.of(host)));
  }

  private static java.util.function.Predicate<String> of(String job) {
    return text -> text.contains("\"" + job + "\"");
  }

  private static String grantOf(String job) {
    return job.substring(0, job.indexOf('.'));
  }

  private static String state(String job) {
    return fleet.value("SELECT state FROM jobs WHERE id = '" + job + "'");
  }

  /** As if the lease had ended that long ago. */
  private static void leaseEnded(String job, int seconds) {
    fleet.execute(
        "UPDATE jobs SET lease_until = clock_timestamp() - interval '%d s' WHERE id = '%s'"
            .formatted(seconds, job));
  }

  private static <R> List<R> together(int callers, Callable<R> call) throws Exception {
    CyclicBarrier start = new CyclicBarrier(callers);
    try (ExecutorService threads = Executors.newFixedThreadPool(callers)) {
      List<Future<R>> futures = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        futures.add(
            threads.submit(
                () -> {
                  start.await();
                  return call.call();
                }));
      }
      List<R> results = new ArrayList<>();
      for (Future<R> future : futures) {
        results.add(future.get());
      }
      return results;
    }
  }
}
