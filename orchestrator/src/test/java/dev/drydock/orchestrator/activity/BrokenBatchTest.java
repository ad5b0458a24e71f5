package dev.drydock.orchestrator.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobState;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.orchestrator.core.model.Phase;
import dev.drydock.orchestrator.exits.Exit;
import dev.drydock.orchestrator.exits.Shows;
import dev.drydock.orchestrator.jobs.BoardTimes;
import dev.drydock.orchestrator.jobs.ClaimResult;
import dev.drydock.orchestrator.jobs.JobBoard;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.Row;
import dev.drydock.orchestrator.testkit.TestDatabase;
import dev.drydock.platform.identity.Principal;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A batch whose hold is broken: nobody works on it any more, and it ends. */
@Tag("stack")
class BrokenBatchTest {
  private static final String BROKEN = "broken by admin (Emergency): rack on fire";

  private static TestDatabase database;
  private static Fleet fleet;
  private static JobBoard board;
  private static BrokenBatch owner;

  @BeforeAll
  static void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    board =
        new JobBoard(
            database.jdbi(),
            BoardTimes.of(Duration.ofSeconds(30), Duration.ofSeconds(5), Duration.ofMinutes(1)));
    owner = new BrokenBatch(database.jdbi());
  }

  @AfterAll
  static void stop() {
    database.close();
  }

  @Test
  void noJobIsGivenOutOrRenewedOnceClaimsAreBarred() {
    String job = fleet.drainPublished("busy");
    String grant = grantOf(job);
    String claim = claim(job);
    assertThat(board.heartbeat(job, claim)).isPresent();

    owner.bar(grant);

    assertThat(board.heartbeat(job, claim)).as("the consumer has to stop").isEmpty();
    assertThat(board.expire()).as("not before its lease is over").isZero();
  }

  @Test
  void controlWithoutTheBarTheConsumerGoesOn() {
    String job = fleet.drainPublished("going");
    assertThat(board.heartbeat(job, claim(job))).isPresent();
    String other = fleet.drainPublished("waiting");
    assertThat(board.claim(other, "c2", Principal.server()))
        .isInstanceOf(ClaimResult.Granted.class);
  }

  @Test
  @Shows(of = JobState.class, states = "Pending", exit = Exit.ABORT, end = "Cancelled")
  void jobsNobodyHasAreCancelledAndCannotBeClaimed() {
    String job = fleet.drainPublished("idle");

    owner.bar(grantOf(job));
    owner.bar(grantOf(job));

    assertThat(fleet.rows.job(job).state()).isEqualTo(JobState.Cancelled);
    assertThat(board.claim(job, "c1", Principal.server())).isInstanceOf(ClaimResult.Refused.class);
  }

  @Test
  @Shows(of = Phase.class, states = "DRAIN", exit = Exit.BROKEN_GLASS, end = "Quarantined")
  void hostsLeaveTheBatchWhichEndsWithoutUndoingAnything() {
    String job = fleet.drainPublished("gone");
    String grant = grantOf(job);
    int before = fleet.rows.jobs(grant).size();

    owner.bar(grant);
    fleet.holds.quarantine(grant, "gone", BROKEN);
    owner.broken(grant, BROKEN);
    owner.broken(grant, BROKEN);

    assertThat(fleet.drive(grant).ended()).isTrue();
    fleet.driver.endHold(grant);
    assertThat(fleet.rows.batch(grant).end()).isEqualTo("Quarantined");
    assertThat(fleet.rows.host("gone").reason()).isEqualTo(BROKEN);
    assertThat(fleet.rows.jobs(grant)).as("no job to undo the Drain").hasSize(before);
    assertThat(fleet.rows.told("HostQuarantined"))
        .extracting(Row.Told::host)
        .containsOnlyOnce("gone");
    assertThat(fleet.holds.find(grant))
        .singleElement()
        .extracting("kind")
        .isEqualTo(Kind.QUARANTINE);
  }

  private static String claim(String job) {
    if (board.claim(job, "c1", Principal.server()) instanceof ClaimResult.Granted granted) {
      return granted.secret();
    }
    throw new AssertionError("not granted: " + job);
  }

  private static String grantOf(String job) {
    return job.substring(0, job.indexOf('.'));
  }
}
