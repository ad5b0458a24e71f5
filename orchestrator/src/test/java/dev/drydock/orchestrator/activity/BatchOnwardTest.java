package dev.drydock.orchestrator.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.impact.core.Hook.Scope;
import dev.drydock.impact.core.Hook.Stage;
import dev.drydock.orchestrator.activity.Progress.Status;
import dev.drydock.orchestrator.jobs.Claim;
import dev.drydock.orchestrator.jobs.Completion;
import dev.drydock.orchestrator.jobs.Report;
import dev.drydock.orchestrator.store.WorkflowIds;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.HookBench;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What follows a step that is done, on a real PostgreSQL and without anybody being woken. */
@Tag("stack")
class BatchOnwardTest {
  private HookBench bench = new HookBench(BatchOnward::new);

  @AfterEach
  void stop() {
    bench.close();
  }

  /** A batch whose drains are offered, after its workflow looked once. */
  private BatchRun draining(String... hosts) {
    BatchRun run = freezing(hosts);
    for (String host : hosts) {
      done(run, "Freeze." + host + ".1");
    }
    bench.fleet.decide(run.grant(), Fleet.GRANT);
    bench.fleet.decide(run.grant(), Fleet.GRANT);
    assertThat(bench.offered(run)).hasSize(hosts.length).allMatch(job -> job.startsWith("Drain"));
    assertThat(woken(run)).isFalse();
    return run;
  }

  private BatchRun freezing(String... hosts) {
    BatchRun run = bench.begin(hosts);
    assertThat(advance(run, Phase.VERIFY)).isEqualTo(new Reached(Phase.FREEZE, Progress.waiting()));
    return run;
  }

  private Reached advance(BatchRun run, Phase first) {
    return bench.fleet.activities.advance(run, first);
  }

  private void done(BatchRun run, String job) {
    bench.end(run.grant() + "." + job, JobOutcome.Done);
  }

  private boolean woken(BatchRun run) {
    return bench
        .fleet
        .value(
            "SELECT count(*) > 0 FROM wakeups WHERE workflow = '"
                + WorkflowIds.batch(run.grant())
                + "'")
        .equals("t");
  }

  @Test
  void isFollowedByTheNextUntilSomethingIsToBeDecided() {
    BatchRun run = draining("a1");
    done(run, "Drain.a1.2");
    assertThat(bench.offered(run)).containsExactly("Update a1");
    done(run, "Update.a1.3");
    assertThat(bench.offered(run)).containsExactly("Health a1");
    done(run, "Health.a1.4");
    assertThat(bench.offered(run)).containsExactly("Recover a1");
    assertThat(woken(run)).isFalse();
    done(run, "Recover.a1.5");
    assertThat(woken(run)).isTrue();
    assertThat(advance(run, Phase.FREEZE))
        .isEqualTo(new Reached(Phase.AFTER_DEPLOY, Progress.done()));
  }

  /** The control: a board that does not know what follows wakes for each. */
  @Test
  void wakesForEachWithoutIt() {
    bench.close();
    bench = new HookBench();
    BatchRun run = freezing("a1");
    done(run, "Freeze.a1.1");
    assertThat(advance(run, Phase.FREEZE))
        .isEqualTo(new Reached(Phase.CONFIRM, Progress.waiting()));
    assertThat(woken(run)).isTrue();
  }

  @Test
  void waitsForTheWholeBatch() {
    BatchRun run = draining("a1", "a2");
    done(run, "Drain.a1.2");
    assertThat(bench.offered(run)).containsExactly("Drain a2");
    assertThat(woken(run)).isFalse();
    done(run, "Drain.a2.2");
    assertThat(bench.offered(run)).containsExactly("Update a1", "Update a2");
    assertThat(woken(run)).isFalse();
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
    assertThat(woken(run)).isFalse();
  }

  @Test
  void runsTheHooksBetween() {
    bench.wants(HookBench.pre("rebalance", Stage.AFTER_UNDEPLOY, Scope.HOST, 0));
    BatchRun run = draining("a1");
    done(run, "Drain.a1.2");
    assertThat(bench.offered(run)).containsExactly("Hook rebalance a1");
    assertThat(woken(run)).isFalse();
  }

  @Test
  void stopsAtTheHooksBeforeTheDrain() {
    bench.wants(HookBench.pre("rebalance", Stage.BEFORE_UNDEPLOY, Scope.HOST, 0));
    BatchRun run = freezing("a1");
    done(run, "Freeze.a1.1");
    bench.fleet.decide(run.grant(), Fleet.GRANT);
    assertThat(bench.offered(run)).containsExactly("Hook rebalance a1");
    assertThat(woken(run)).isFalse();
  }

  @Test
  void isDecidedElsewhereWhenACheckSaysNo() {
    BatchRun run = freezing("a1");
    done(run, "Freeze.a1.1");
    bench.fleet.decide(run.grant(), Fleet.HOLD);
    assertThat(woken(run)).isTrue();
    assertThat(bench.offered(run)).isEmpty();
  }

  @Test
  void isDecidedElsewhereWhenOneOfThemFailed() {
    BatchRun run = draining("a1", "a2");
    bench.end(run.grant() + ".Drain.a1.2", JobOutcome.Failed);
    assertThat(woken(run)).isTrue();
    bench.fleet.execute("DELETE FROM wakeups");
    done(run, "Drain.a2.2");
    assertThat(woken(run)).isTrue();
    assertThat(bench.offered(run)).isEmpty();
  }

  @Test
  void leadsNowhereOnceTheBatchGoesBack() {
    BatchRun run = draining("a1");
    Claim claim = bench.claim(run.grant() + ".Drain.a1.2");
    bench.back(run, new Progress(Status.FAILED, "because"));
    completed(run, claim);
    assertThat(bench.offered(run)).isEmpty();
    assertThat(woken(run)).isTrue();
  }

  @Test
  void leadsNowhereOnceItsRunWasLost() {
    BatchRun run = draining("a1");
    Claim claim = bench.claim(run.grant() + ".Drain.a1.2");
    bench.fleet.execute("UPDATE grants SET reclaim = 'its run was lost'");
    completed(run, claim);
    assertThat(bench.offered(run)).isEmpty();
    assertThat(woken(run)).isTrue();
  }

  @Test
  void leadsNowhereForARunThatWasFollowed() {
    BatchRun run = draining("a1");
    Claim claim = bench.claim(run.grant() + ".Drain.a1.2");
    bench.fleet.activities.begin(run.grant(), "another run");
    completed(run, claim);
    assertThat(bench.offered(run)).isEmpty();
    assertThat(woken(run)).isTrue();
  }

  private void completed(BatchRun run, Claim claim) {
    assertThat(claim).isInstanceOf(Claim.Granted.class);
    assertThat(
            bench.board.complete(
                run.grant() + ".Drain.a1.2",
                ((Claim.Granted) claim).secret(),
                Report.of(new JobResult().setOutcome(JobOutcome.Done).setMessage("")),
                HookBench.ANYBODY))
        .isEqualTo(new Completion.Accepted(false));
  }

  /** What comes after it is of no concern to who did it. */
  @Test
  void isKeptWhenWhatFollowsFails() {
    bench.close();
    bench =
        new HookBench(
            policies ->
                new BatchOnward(
                    () -> {
                      bench.fleet.execute("UPDATE grants SET run = 7");
                      bench.fleet.execute("SELECT 1 / 0");
                      return policies.now();
                    }));
    BatchRun run = freezing("a1");
    done(run, "Freeze.a1.1");
    assertThat(bench.done(run)).containsExactly("Freeze a1");
    assertThat(bench.offered(run)).isEmpty();
    assertThat(woken(run)).isTrue();
    assertThat(bench.fleet.value("SELECT run FROM grants")).isEqualTo("1");
  }
}
