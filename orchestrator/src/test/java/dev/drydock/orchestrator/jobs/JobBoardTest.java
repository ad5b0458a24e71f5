package dev.drydock.orchestrator.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.batch.BatchRun;
import dev.drydock.orchestrator.jobs.ClaimResult.Granted;
import dev.drydock.orchestrator.jobs.ClaimResult.Refused;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.proto.clock.BootClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Who gets a job and when, on a real PostgreSQL; a planted fault beside a promise shows that its
 * test can fail.
 */
@Tag("stack")
class JobBoardTest extends BoardFixture {
  @Test
  void givesAJobToExactlyOneOfManyClaimers() throws Exception {
    String job = fleet.drainPublished("once");
    List<ClaimResult> claims = together(16, () -> board.claim(job, "consumer", ADAPTER));
    assertThat(claims).filteredOn(Granted.class::isInstance).hasSize(1);
    assertThat(claims)
        .filteredOn(Refused.class::isInstance)
        .extracting(claim -> ((Refused) claim).reason())
        .containsOnly(ClaimResult.Reason.JOB_NOT_PENDING);
    assertThat(rows.attempt(job)).isEqualTo(1);
  }

  @Test
  void handsOutATokenOfEpochHoldRoundAndAttempt() {
    String job = fleet.drainPublished("token");
    Granted claim = granted(job);
    String hold = fleet.rows.batch(grantOf(job)).holdRevision();
    // The Cordon was its first round.
    assertThat(claim.token()).isEqualTo("1." + hold + ".2.1");
    assertThat(claim.leaseSeconds()).isEqualTo(15);
    assertThat(claim.job()).contains("\"web@token\"", "\"Claimed\"");
  }

  @Test
  void refusesAConsumerOfAnotherTopic() {
    String job = fleet.drainPublished("topic");
    Principal operator = new Principal("op", "sre", Role.CONSUMER, Set.of("host/PackageUpdate"));
    assertThat(board.claim(job, "op", operator)).isInstanceOf(Refused.class);
    assertThat(reason(board.claim(job, "op", operator)))
        .isEqualTo(ClaimResult.Reason.TOPIC_NOT_YOURS);
    granted(job);
  }

  @Test
  void aDrainMayTakeAsLongAsThePoliciesOfItsHostSay() {
    String grant = fleet.granted("policies");
    fleet.opened(grant);
    fleet.instance("ads", "policies");
    fleet.instance("old", "policies");
    fleet.execute("UPDATE instances SET vanished_at = now() WHERE id = 'old@policies'");
    fleet.drive(grant);
    // 30 minutes of draining, a ninth of them for putting back, 5 minutes of reserve.
    String job = rows.job(grant, JobStep.Drain);
    assertThat(rows.says(job, "drainSecondsMax")).isEqualTo("1800");
    assertThat(rows.says(job, "deadlineSeconds")).isEqualTo("2300");
    assertThat(rows.seconds(job)).isEqualTo(2300);
  }

  @Test
  void anInstallationMayTakeLongerThanAnUpdateOfPackages() {
    assertThat(
            List.of(updateSeconds("packages", "PackageUpdate"), updateSeconds("disk", "Reimage")))
        .containsExactly("1800 1800", "10800 10800");
  }

  private String updateSeconds(String host, String mode) {
    String grant = fleet.granted(host);
    fleet.asIf.mode("r-" + host, mode);
    String job = rows.reach(grant, JobStep.Update);
    return rows.says(job, "deadlineSeconds") + " " + rows.seconds(job);
  }

  @Test
  void aJobSaysOfWhatFamilyItsHostIs() {
    String apt = fleet.drainPublished("family-apt");
    String grant = fleet.granted("family-dnf");
    fleet.family("family-dnf", "dnf");
    String dnf = rows.reach(grant, JobStep.Drain);
    assertThat(List.of(rows.says(apt, "osFamily"), rows.says(dnf, "osFamily")))
        .containsExactly("apt", "dnf");
  }

  @Test
  void publishingAgainPublishesNothingNew() {
    String job = fleet.drainPublished("same-round");
    String grant = grantOf(job);
    fleet.drive(grant);
    Granted claim = granted(job);
    fleet.drive(grant);
    board.complete(job, claim.secret(), done("drained"), ADAPTER);
    fleet.drive(grant);
    assertThat(rows.way(grant)).isEqualTo("Update");
    assertThat(rows.jobs(grant, JobStep.Drain)).isEqualTo(1);
  }

  @Test
  void offersOnlyTheStepsThatAreSought() {
    String job = fleet.drainPublished("steps");
    assertThat(claimable(TOPICS, JobStep.Recover, JobStep.Drain)).anyMatch(of(job));
    assertThat(claimable(TOPICS, JobStep.Recover)).noneMatch(of(job));
    assertThat(claimable(TOPICS)).anyMatch(of(job));
  }

  @Test
  void refusesAJobOfAnOldRunUntilTheNewRunTakesItOver() {
    String job = fleet.drainPublished("old-run");
    BatchRun next = fleet.driver.begin(grantOf(job), "a later run");
    assertThat(claimable(TOPICS)).noneMatch(of(job));
    assertThat(reason(board.claim(job, "consumer", ADAPTER)))
        .isEqualTo(ClaimResult.Reason.GRANT_NOT_ALIVE);
    fleet.driver.drive(next);
    assertThat(claimable(TOPICS)).anyMatch(of(job));
    granted(job);
  }

  /**
   * The control of the test above: a board that does not compare runs gives the old run's job away.
   */
  @Test
  void aBoardThatDoesNotCompareRunsWouldGiveItAway() {
    String job = fleet.drainPublished("old-run-control");
    fleet.driver.begin(grantOf(job), "a later run");
    Claims blind =
        new Claims(TIMES) {
          @Override
          boolean runDiffers(GrantRow grant, JobRow row) {
            return false;
          }
        };
    JobBoard board = new JobBoard(database.jdbi(), TIMES, blind, BootClock.system());
    assertThat(board.claim(job, "consumer", ADAPTER)).isInstanceOf(Granted.class);
  }

  @Test
  void refusesTheFirstDrainOnAStaleCheckAndAsksForANewOne() {
    String job = fleet.drainPublished("stale");
    String grant = grantOf(job);
    opened(job, 31);
    assertThat(reason(board.claim(job, "consumer", ADAPTER)))
        .isEqualTo(ClaimResult.Reason.CHECK_STALE);
    assertThat(reason(board.claim(job, "consumer", ADAPTER)))
        .isEqualTo(ClaimResult.Reason.CHECK_STALE);
    assertThat(rows.openChecks(grant)).as("asking twice is asking once").isEqualTo(2);
    assertThat(claimable(TOPICS)).noneMatch(of(job));
    fleet.decide(grant, Fleet.GRANT);
    granted(job);
  }

  @Test
  void aHoldVerdictBeforeTheFirstDrainSendsTheBatchBack() {
    String job = fleet.drainPublished("held");
    String grant = grantOf(job);
    opened(job, 31);
    board.claim(job, "consumer", ADAPTER);
    fleet.decide(grant, Fleet.WAIT);
    assertThat(claimable(TOPICS)).noneMatch(of(job));
    assertThat(reason(board.claim(job, "consumer", ADAPTER)))
        .isEqualTo(ClaimResult.Reason.CHECK_STALE);
    assertThat(turnedBack(grant))
        .as("a claim does not overrule the verdict")
        .startsWith("Requeued: ");
    assertThat(state(job)).isEqualTo("Cancelled");
  }

  @Test
  void refusesClaimsOfAnAbortedGrant() {
    String job = fleet.drainPublished("abort");
    fleet.asIf.aborted(grantOf(job));
    assertThat(reason(board.claim(job, "consumer", ADAPTER)))
        .isEqualTo(ClaimResult.Reason.GRANT_NOT_ALIVE);
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
