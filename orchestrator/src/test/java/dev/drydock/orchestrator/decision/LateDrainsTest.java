package dev.drydock.orchestrator.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.DecisionOption;
import dev.drydock.api.DrainLeft;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobStep;
import dev.drydock.impact.core.LateDrain;
import dev.drydock.impact.core.LateDrain.Way;
import dev.drydock.orchestrator.batch.BatchRun;
import dev.drydock.orchestrator.jobs.ClaimResult;
import dev.drydock.orchestrator.jobs.JobReport;
import dev.drydock.orchestrator.store.HostDecisions;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.HookBench;
import dev.drydock.orchestrator.testkit.OutcomeRows;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.PageRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What rows say of Drains that ended without drained hosts, on a real PostgreSQL. */
@Tag("stack")
class LateDrainsTest {
  private final HookBench bench = new HookBench(UnaryOperator.identity());
  private final OutcomeRows rows = new OutcomeRows(bench.fleet);

  @AfterEach
  void stop() {
    bench.close();
  }

  /** Batches whose policies do this, with a Drain that nobody has. */
  private BatchRun draining(Way way, String... hosts) {
    bench.fleet.late = new LateDrain(way, Duration.ofMinutes(10), Duration.ofHours(1));
    BatchRun run = bench.begin(hosts);
    bench.reach(run, JobStep.Drain);
    return run;
  }

  /** What {@code host why} tells of a host, newest first. */
  private List<String> why(String host) {
    return new HostDecisions(bench.jdbi())
            .until(host, Instant.now().plusSeconds(60), new PageRequest(0, 10), FieldMask.all())
            .elements()
            .stream()
            .map(decision -> decision.getDecision() + " " + decision.getReason())
            .toList();
  }

  @Test
  void whoAsksWhyAHostWaitsIsToldWhosePoliciesItsDrainFollows() {
    BatchRun run = draining(Way.ASK, "e1", "e2");
    String terms = "; drain: up to 20m (policy web), then Ask (policy search)";
    assertThat(why("e1").getFirst()).isEqualTo("Opened enough up" + terms);
    assertThat(why("e1").get(1)).as("before its drain").doesNotContain("drain:");
    bench.end(run.grant() + ".Drain.e1.2", JobOutcome.Failed);
    bench.end(run.grant() + ".Drain.e2.2", JobOutcome.Done);
    bench.drive(run);
    assertThat(why("e1").getFirst())
        .startsWith("NotDrained e1 was not drained within 1200 s")
        .endsWith(terms + "; decision " + run.grant() + ".1");
  }

  /** The control: were the terms not kept with the Drain, nobody would be told. */
  @Test
  void aDrainThatWasNotToldItsTermsTellsNone() {
    BatchRun run = draining(Way.ASK, "f1");
    bench.fleet.workAsIf.withoutFacts(bench.only(run));
    assertThat(why("f1").getFirst()).isEqualTo("Opened enough up");
  }

  private void wait(BatchRun run) {
    bench.fleet.decisions.answer(
        HookBench.ANYBODY, run.grant() + ".1", DecisionOption.Wait, "soon empty");
  }

  @Test
  void whoWaitsLongerIsCheckedAnewFirst() {
    BatchRun run = draining(Way.ASK, "c1");
    bench.end(bench.only(run), JobOutcome.Failed);
    wait(run);
    assertThat(rows.openChecks(run.grant())).isEqualTo("Grant requested");
    assertThat(bench.offered(run)).as("not before the verdict").isEmpty();
    bench.fleet.decide(run.grant(), Fleet.GRANT);
    assertThat(bench.only(run)).isEqualTo(run.grant() + ".Drain.c1.3");
    bench.finish(run);
    assertThat(rows.hosts()).isEqualTo("c1 Upgraded");
  }

  @Test
  void whoWouldGoOnGoesBackIfTheNewCheckHolds() {
    BatchRun run = draining(Way.ASK, "d1");
    bench.end(bench.only(run), JobOutcome.Failed);
    wait(run);
    bench.fleet.decide(run.grant(), Fleet.WAIT);
    assertThat(bench.offered(run)).containsExactly("Recover d1");
    bench.finish(run);
    assertThat(rows.host("d1")).isEqualTo("Pending: too few up");
  }

  @Test
  void lateHostsAreKeptAsideAndTheOthersGoOn() {
    BatchRun run = draining(Way.QUARANTINE, "b1", "b2", "b3");
    bench.end(run.grant() + ".Drain.b1.2", JobOutcome.Failed);
    bench.end(run.grant() + ".Drain.b2.2", JobOutcome.Done);
    bench.drive(run);
    assertThat(bench.offered(run)).as("never split while something runs").hasSize(1);
    bench.end(run.grant() + ".Drain.b3.2", JobOutcome.Failed);
    bench.drive(run);
    assertThat(rows.hosts()).isEqualTo("b1 Quarantined, b2 InProgress, b3 Quarantined");
    assertThat(bench.offered(run)).containsExactly("Update b2");
  }

  @Test
  void whatConsumersTellDecidesBetweenSlowAndStuck() {
    assertThat(told("h1", 40, 0))
        .startsWith("Slow h1 was not drained within 1200 s (slow: 3 of 40");
    assertThat(told("h2", 40, 401))
        .startsWith(
            "Stuck h2 was not drained within 1200 s (stuck: 3 of 40 requests left, no less");
    assertThat(told("h3", 0, 0)).startsWith("Unknown h3");
  }

  /**
   * What is written of a late Drain of a host.
   *
   * @param first how much a consumer says is left at first; 0 if it never says
   * @param unchanged for how many seconds it has been no less
   */
  private String told(String host, long first, int unchanged) {
    BatchRun run = draining(Way.ASK, host);
    String job = bench.only(run);
    ClaimResult.Granted claim = (ClaimResult.Granted) bench.claim(job);
    JobResult result = new JobResult().setOutcome(JobOutcome.Failed).setMessage("late");
    if (first > 0) {
      bench.board.heartbeat(job, claim.secret(), Optional.of(left(first)));
      bench.board.heartbeat(job, claim.secret(), Optional.of(left(3)));
    }
    if (unchanged > 0) {
      bench.fleet.workAsIf.leftNoLessFor(job, unchanged);
    }
    bench.board.complete(job, claim.secret(), JobReport.of(result), HookBench.ANYBODY);
    return rows.lateDrain(job);
  }

  private static DrainLeft left(long count) {
    return new DrainLeft().setCount(count).setWhat("requests");
  }
}
