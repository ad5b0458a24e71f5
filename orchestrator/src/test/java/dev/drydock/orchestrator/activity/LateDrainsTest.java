package dev.drydock.orchestrator.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.DrainAnswer;
import dev.drydock.api.DrainLeft;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.impact.core.LateDrain;
import dev.drydock.impact.core.LateDrain.Way;
import dev.drydock.orchestrator.activity.Progress.Status;
import dev.drydock.orchestrator.drain.DrainQuestions;
import dev.drydock.orchestrator.jobs.BoardTimes;
import dev.drydock.orchestrator.jobs.Claim;
import dev.drydock.orchestrator.jobs.JobBoard;
import dev.drydock.orchestrator.jobs.Report;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Batches whose Drains ended without drained hosts, step by step on a real PostgreSQL. */
@Tag("stack")
class LateDrainsTest {
  private static final Principal ANYBODY = new Principal("any", "sre", Role.ADMIN, Set.of());

  private TestDatabase database;
  private Fleet fleet;
  private JobBoard board;
  private DrainQuestions questions;

  @BeforeEach
  void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    questions = new DrainQuestions(database.jdbi());
    board =
        new JobBoard(
            database.jdbi(),
            BoardTimes.of(Duration.ofSeconds(15), Duration.ofSeconds(5), Duration.ofMinutes(1)));
  }

  @AfterEach
  void stop() {
    database.close();
  }

  /** Has its policies do this, and the Drain of a host fail. */
  private BatchRun late(Way way, String host) {
    fleet.late = new LateDrain(way, Duration.ofMinutes(10), Duration.ofHours(1));
    String job = fleet.drainPublished(host);
    end(job, JobOutcome.Failed);
    return fleet.run(job.substring(0, job.indexOf('.')));
  }

  private void end(String job, JobOutcome outcome) {
    Claim.Granted claim = (Claim.Granted) board.claim(job, "consumer", ANYBODY);
    JobResult result = new JobResult().setOutcome(outcome).setMessage("requests stay open");
    board.complete(job, claim.secret(), Report.of(result), ANYBODY);
  }

  private Progress drain(BatchRun run) {
    return fleet.activities.pursue(run, Phase.DRAIN);
  }

  private String drains(BatchRun run) {
    return fleet.value(
        "SELECT count(*) FROM jobs WHERE step = 'Drain' AND grant_id = '" + run.grant() + "'");
  }

  private String checks(BatchRun run) {
    return fleet.value(
        "SELECT string_agg(state, ' ' ORDER BY round) FROM checks WHERE kind = 'open' AND grant_id"
            + " = '"
            + run.grant()
            + "'");
  }

  @Test
  void theBatchGoesBackAsPoliciesSay() {
    assertThat(drain(late(Way.REVERT, "a1")).status()).isEqualTo(Status.FAILED);
    Progress requeued = drain(late(Way.REQUEUE, "a2"));
    assertThat(requeued.status()).isEqualTo(Status.HELD);
    assertThat(requeued.reason())
        .isEqualTo(
            "a2 was not drained within 1200 s (how much was left was not told): Drain: requests"
                + " stay open");
  }

  @Test
  void lateHostsAreKeptAsideAndTheOthersGoOn() {
    fleet.late = new LateDrain(Way.QUARANTINE, Duration.ofMinutes(10), Duration.ofHours(1));
    fleet.host("b1");
    fleet.host("b2");
    fleet.host("b3");
    fleet.rollout("rb", "b1", "b2", "b3");
    BatchRun run = fleet.run(fleet.grant("rb", "b1", "b2", "b3"));
    fleet.opened(run.grant());
    drain(run);
    end(run.grant() + ".Drain.b1.1", JobOutcome.Failed);
    end(run.grant() + ".Drain.b2.1", JobOutcome.Done);
    assertThat(drain(run).status())
        .as("never split while something runs")
        .isEqualTo(Status.WAITING);
    end(run.grant() + ".Drain.b3.1", JobOutcome.Failed);
    assertThat(drain(run).status()).isEqualTo(Status.ASIDE);
    assertThat(fleet.activities.quarantine(run, Phase.DRAIN)).isEqualTo(1);
    assertThat(fleet.activities.quarantine(run, Phase.DRAIN)).as("once more").isEqualTo(1);
    assertThat(drain(run).status()).isEqualTo(Status.DONE);
    assertThat(
            fleet.value(
                "SELECT string_agg(host || ' ' || state, ', ' ORDER BY host) FROM host_upgrades"))
        .isEqualTo("b1 Quarantined, b2 InProgress, b3 Quarantined");
  }

  @Test
  void whoWaitsLongerIsCheckedAnewFirst() {
    BatchRun run = late(Way.ASK, "c1");
    assertThat(drain(run).status()).isEqualTo(Status.WAITING);
    questions.answer(ANYBODY, run.grant() + ".1", DrainAnswer.Wait, "soon empty");
    drain(run);
    drain(run);
    assertThat(checks(run)).isEqualTo("Grant requested");
    assertThat(drains(run)).as("not before the verdict").isEqualTo("1");
    fleet.decide(run.grant(), Fleet.GRANT);
    drain(run);
    drain(run);
    assertThat(drains(run)).isEqualTo("2");
    end(run.grant() + ".Drain.c1.2", JobOutcome.Done);
    assertThat(drain(run).status()).isEqualTo(Status.DONE);
  }

  @Test
  void whoWouldGoOnGoesBackIfTheNewCheckHolds() {
    BatchRun run = late(Way.ASK, "d1");
    drain(run);
    questions.answer(ANYBODY, run.grant() + ".1", DrainAnswer.Wait, "");
    drain(run);
    fleet.decide(run.grant(), Fleet.HOLD);
    assertThat(drain(run)).isEqualTo(new Progress(Status.HELD, "too few up"));
    assertThat(drains(run)).isEqualTo("1");
  }

  /** The control of the two before: were the old verdict good enough, nobody would look again. */
  @Test
  void anOldVerdictThatCountedWouldBeSeen() {
    BatchRun run = late(Way.ASK, "e1");
    drain(run);
    questions.answer(ANYBODY, run.grant() + ".1", DrainAnswer.Wait, "");
    fleet.execute("UPDATE late_drains SET open_round = 0");
    drain(run);
    assertThat(checks(run)).isEqualTo("Grant");
    assertThat(drains(run)).isEqualTo("2");
  }

  @Test
  void aCheckAskedForBeforeTheAnswerDoesNotCount() {
    BatchRun run = late(Way.ASK, "f1");
    drain(run);
    fleet.execute(
        "INSERT INTO checks (grant_id, kind, round, run, state) VALUES ('%s', 'open', 2, 1, 'requested')"
            .formatted(run.grant()));
    questions.answer(ANYBODY, run.grant() + ".1", DrainAnswer.Wait, "");
    drain(run);
    fleet.decide(run.grant(), Fleet.GRANT);
    drain(run);
    assertThat(checks(run)).isEqualTo("Grant Grant requested");
    assertThat(drains(run)).isEqualTo("1");
  }

  /** The second Drain was cancelled untouched; the first had touched the host. */
  @Test
  void theWayBackFromASecondRoundRecoversWhatTheFirstTouched() {
    BatchRun run = late(Way.ASK, "g1");
    drain(run);
    questions.answer(ANYBODY, run.grant() + ".1", DrainAnswer.Wait, "");
    drain(run);
    fleet.decide(run.grant(), Fleet.GRANT);
    drain(run);
    fleet.activities.turnBack(run, new Progress(Status.FAILED, "aborted"));
    fleet.activities.pursue(run, Phase.UNDO);
    assertThat(fleet.value("SELECT state FROM jobs WHERE id = '" + run.grant() + ".Drain.g1.2'"))
        .isEqualTo("Cancelled");
    assertThat(fleet.value("SELECT string_agg(step, ' ') FROM jobs WHERE state = 'Pending'"))
        .isEqualTo("Recover");
  }

  @Test
  void aLaterRunDoesNotDrainBehindTheBackOfWhoIsAsked() {
    fleet.late = new LateDrain(Way.ASK, Duration.ofMinutes(10), Duration.ofHours(1));
    String job = fleet.drainPublished("i1");
    fleet.execute("UPDATE jobs SET state = 'Expired' WHERE id = '" + job + "'");
    String grant = job.substring(0, job.indexOf('.'));
    drain(fleet.run(grant));
    BatchRun later = fleet.activities.begin(grant, "another");
    assertThat(drain(later).status()).isEqualTo(Status.WAITING);
    assertThat(drains(later)).isEqualTo("1");
  }

  @Test
  void whatConsumersTellDecidesBetweenSlowAndStuck() {
    fleet.late = new LateDrain(Way.ASK, Duration.ofMinutes(10), Duration.ofHours(1));
    assertThat(told("h1", "")).startsWith("Slow h1 was not drained within 1200 s (slow: 3 of 40");
    assertThat(told("h2", "left_fell_at = clock_timestamp() - interval '401 s'"))
        .startsWith(
            "Stuck h2 was not drained within 1200 s (stuck: 3 of 40 requests left, no less");
    assertThat(told("h3", "left_first = NULL")).startsWith("Unknown h3");
  }

  private String told(String host, String planted) {
    String job = fleet.drainPublished(host);
    Claim.Granted claim = (Claim.Granted) board.claim(job, "consumer", ANYBODY);
    board.heartbeat(job, claim.secret(), Optional.of(left(40)));
    board.heartbeat(job, claim.secret(), Optional.of(left(9)));
    JobResult result = new JobResult().setOutcome(JobOutcome.Failed).setMessage("late");
    board.complete(job, claim.secret(), Report.of(result.setLeft(left(3))), ANYBODY);
    if (!planted.isEmpty()) {
      fleet.execute("UPDATE jobs SET " + planted + " WHERE id = '" + job + "'");
    }
    drain(fleet.run(job.substring(0, job.indexOf('.'))));
    return fleet.value(
        "SELECT pace || ' ' || says FROM late_drains WHERE '" + job + "' = ANY(jobs)");
  }

  private static DrainLeft left(long count) {
    return new DrainLeft().setCount(count).setWhat("requests");
  }
}
