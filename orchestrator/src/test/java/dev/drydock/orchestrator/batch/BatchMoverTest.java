package dev.drydock.orchestrator.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobStep;
import dev.drydock.impact.core.PolicyHook.Scope;
import dev.drydock.impact.core.PolicyHook.Stage;
import dev.drydock.orchestrator.jobs.ClaimResult;
import dev.drydock.orchestrator.jobs.CompletionResult;
import dev.drydock.orchestrator.jobs.JobReport;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.HookBench;
import dev.drydock.orchestrator.testkit.OutcomeRows;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The end of a job moves its batch in the same transaction, on a real PostgreSQL and without
 * anybody being woken.
 */
@Tag("stack")
class BatchMoverTest {
  private HookBench bench = new HookBench(UnaryOperator.identity());

  @AfterEach
  void stop() {
    bench.close();
  }

  private OutcomeRows rows() {
    return new OutcomeRows(bench.fleet);
  }

  /** A batch whose drains are offered, after its workflow looked once. */
  private BatchRun draining(String... hosts) {
    BatchRun run = cordoning(hosts);
    for (String host : hosts) {
      done(run, "Cordon." + host + ".1");
    }
    bench.fleet.decide(run.grant(), Fleet.GRANT);
    bench.fleet.decide(run.grant(), Fleet.GRANT);
    assertThat(bench.offered(run)).hasSize(hosts.length).allMatch(job -> job.startsWith("Drain"));
    assertThat(rows().woken(run)).isFalse();
    return run;
  }

  private BatchRun cordoning(String... hosts) {
    BatchRun run = bench.begin(hosts);
    assertThat(bench.drive(run).ended()).isFalse();
    assertThat(bench.offered(run)).hasSize(hosts.length).allMatch(job -> job.startsWith("Cordon"));
    return run;
  }

  private void done(BatchRun run, String job) {
    bench.end(run.grant() + "." + job, JobOutcome.Done);
  }

  /** Its end is left to its workflow: there may be something to be done in etcd before it. */
  @Test
  void isFollowedByTheNextUntilTheBatchEnds() {
    BatchRun run = draining("a1");
    done(run, "Drain.a1.2");
    assertThat(bench.offered(run)).containsExactly("Update a1");
    done(run, "Update.a1.3");
    assertThat(bench.offered(run)).containsExactly("Health a1");
    done(run, "Health.a1.4");
    assertThat(bench.offered(run)).containsExactly("Recover a1");
    assertThat(rows().woken(run)).isFalse();
    done(run, "Recover.a1.5");
    assertThat(rows().woken(run)).isTrue();
    assertThat(rows().hosts()).isEqualTo("a1 InProgress");
    assertThat(bench.drive(run).ended()).isTrue();
    assertThat(rows().hosts()).isEqualTo("a1 Upgraded");
  }

  /** The control: a board that does not move batches wakes for each. */
  @Test
  void wakesForEachWithoutIt() {
    bench.close();
    bench = new HookBench();
    BatchRun run = cordoning("a1");
    done(run, "Cordon.a1.1");
    assertThat(rows().woken(run)).isTrue();
    assertThat(bench.fleet.candidates.checks()).isEmpty();
  }

  /** Each sees what the others wrote, or is seen by them: one of them goes on. */
  @Test
  void isFollowedOnceHoweverManyAreDoneAtTheSameTime() throws InterruptedException {
    String[] hosts = IntStream.range(0, 8).mapToObj(i -> "a" + i).toArray(String[]::new);
    BatchRun run = draining(hosts);
    try (ExecutorService consumers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<?> ended :
          consumers.invokeAll(
              Stream.of(hosts)
                  .map(host -> Executors.callable(() -> done(run, "Drain." + host + ".2")))
                  .toList())) {
        assertThat(ended).succeedsWithin(Duration.ZERO);
      }
    }
    assertThat(bench.offered(run))
        .containsExactlyInAnyOrder(
            Stream.of(hosts).map(host -> "Update " + host).toArray(String[]::new));
    assertThat(rows().woken(run)).isFalse();
  }

  @Test
  void goesBackAtOnceWhenACheckSaysNo() {
    BatchRun run = cordoning("a1");
    done(run, "Cordon.a1.1");
    bench.fleet.decide(run.grant(), Fleet.WAIT);
    assertThat(bench.offered(run)).containsExactly("Uncordon a1");
    assertThat(rows().told("BatchTurnedBack")).isEqualTo(1);
    assertThat(rows().woken(run)).isFalse();
  }

  /** A host is locked in etcd before it is called quarantined: its workflow does that. */
  @Test
  void wakesForWhatIsToBeLockedFirst() {
    BatchRun run = draining("a1");
    done(run, "Drain.a1.2");
    bench.end(run.grant() + ".Update.a1.3", JobOutcome.Failed);
    assertThat(rows().woken(run)).isFalse();
    bench.diagnosed(run);
    assertThat(rows().woken(run)).isTrue();
    assertThat(rows().hosts()).isEqualTo("a1 InProgress");
    assertThat(bench.drive(run).ended()).isTrue();
    assertThat(rows().hosts()).isEqualTo("a1 Quarantined");
  }

  /** Until the run that reclaims it has begun, nobody moves it. */
  @Test
  void leadsNowhereOnceItsRunWasLost() {
    BatchRun run = draining("a1");
    ClaimResult claimResult = bench.claim(run.grant() + ".Drain.a1.2");
    bench.fleet.asIf.lost(run.grant());
    completed(run, claimResult);
    assertThat(bench.offered(run)).isEmpty();
    assertThat(rows().woken(run)).isTrue();
  }

  @Test
  void isFollowedByAJobOfTheRunThatWorksItNow() {
    BatchRun run = draining("a1");
    ClaimResult claimResult = bench.claim(run.grant() + ".Drain.a1.2");
    BatchRun later = bench.fleet.driver.begin(run.grant(), "another run");
    completed(run, claimResult);
    assertThat(bench.offered(run)).containsExactly("Update a1");
    bench.finish(later);
    assertThat(rows().hosts()).isEqualTo("a1 Upgraded");
  }

  private void completed(BatchRun run, ClaimResult claimResult) {
    assertThat(claimResult).isInstanceOf(ClaimResult.Granted.class);
    assertThat(
            bench.board.complete(
                run.grant() + ".Drain.a1.2",
                ((ClaimResult.Granted) claimResult).secret(),
                JobReport.of(new JobResult().setOutcome(JobOutcome.Done).setMessage("")),
                HookBench.ANYBODY))
        .isEqualTo(new CompletionResult.Accepted(false));
  }

  /** What comes after it is of no concern to a consumer. The hooks are written before the check. */
  @Test
  void isKeptWhenWhatFollowsFails() {
    bench.wants(HookBench.pre("rebalance", Stage.AFTER_UNDEPLOY, Scope.HOST, 0));
    bench.fleet.execute(
        """
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          RAISE EXCEPTION 'no check is written';
        END $$;
        CREATE TRIGGER refuse BEFORE INSERT ON checks FOR EACH ROW EXECUTE FUNCTION refuse();
        """);
    BatchRun run = cordoning("a1");
    done(run, "Cordon.a1.1");
    assertThat(bench.done(run)).containsExactly("Cordon a1");
    assertThat(rows().woken(run)).isTrue();
    assertThat(rows().hooks()).as("nothing is left of what failed").isEqualTo(0);
    bench.fleet.execute("DROP TRIGGER refuse ON checks");
    bench.reach(run, JobStep.Hook);
    assertThat(rows().hooks()).isEqualTo(1);
  }
}
