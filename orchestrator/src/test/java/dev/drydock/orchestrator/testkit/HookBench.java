package dev.drydock.orchestrator.testkit;

import com.linkedin.data.template.StringMap;
import dev.drydock.api.InstanceReportArray;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.impact.core.PolicyHook;
import dev.drydock.impact.core.PolicyHook.Scope;
import dev.drydock.impact.core.PolicyHook.Stage;
import dev.drydock.orchestrator.batch.BatchRun;
import dev.drydock.orchestrator.batch.DriveResult;
import dev.drydock.orchestrator.core.model.BatchHook.Source;
import dev.drydock.orchestrator.core.model.HookPolicy;
import dev.drydock.orchestrator.jobs.BoardTimes;
import dev.drydock.orchestrator.jobs.ClaimGate;
import dev.drydock.orchestrator.jobs.ClaimResult;
import dev.drydock.orchestrator.jobs.JobBoard;
import dev.drydock.orchestrator.jobs.JobReport;
import dev.drydock.orchestrator.store.BatchAdvancer;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Jdbi;

/** Batches with hooks on a real PostgreSQL, brought from phase to phase by the code under test. */
public final class HookBench implements AutoCloseable {
  public static final Principal ANYBODY = new Principal("any", "sre", Role.ADMIN, Set.of());
  private static final Set<JobStep> READS =
      Set.of(JobStep.Cordon, JobStep.Recover, JobStep.Uncordon);

  private static final Set<JobState> LIVE = Set.of(JobState.Pending, JobState.Claimed);

  private final TestDatabase database = new TestDatabase();
  public final Fleet fleet;
  public final JobBoard board;

  /** Steps that are done publish nothing by themselves. */
  public HookBench() {
    this(mover -> BatchAdvancer.NOTHING);
  }

  public HookBench(UnaryOperator<BatchAdvancer> goingOn) {
    fleet = new Fleet(database.jdbi(), goingOn);
    board =
        new JobBoard(
            database.jdbi(),
            BoardTimes.of(Duration.ofSeconds(15), Duration.ofSeconds(5), Duration.ofMinutes(1)),
            ClaimGate.OPEN,
            fleet.checks,
            fleet.onward);
  }

  public Jdbi jdbi() {
    return database.jdbi();
  }

  /** What the policy of web wants from now on. */
  public void wants(PolicyHook... hooks) {
    fleet.wanted =
        List.of(new HookPolicy(new Source("web", 3, "web-team"), Set.of("web"), List.of(hooks)));
  }

  /** A pre hook. */
  public static PolicyHook pre(String name, Stage stage, Scope scope, int order) {
    return new PolicyHook(
        name, stage, scope, Duration.ofMinutes(30), order, Map.of("rate", "5"), Optional.empty());
  }

  /** What takes it back, under the same name. */
  public static PolicyHook post(PolicyHook pre) {
    return new PolicyHook(
        pre.name(),
        pre.stage().mirror(),
        pre.scope(),
        Duration.ofMinutes(30),
        pre.order(),
        Map.of(),
        Optional.of(pre.name()));
  }

  /** A batch of new hosts. */
  public BatchRun begin(String... hosts) {
    for (String host : hosts) {
      fleet.host(host);
    }
    fleet.rollout("r-" + hosts[0], hosts);
    return fleet.run(fleet.grant("r-" + hosts[0], hosts));
  }

  /** Drives the batch as its workflow would, until nothing more can be done now. */
  public DriveResult drive(BatchRun run) {
    return fleet.driver.drive(run);
  }

  /** Drives the batch until a job of the step is offered; what it asks for before is done. */
  public void reach(BatchRun run, JobStep step) {
    until(run, () -> offered(run).stream().anyMatch(one -> one.startsWith(step + " ")));
  }

  /** Drives the batch to its end; what it asks for is done. */
  public void finish(BatchRun run) {
    until(run, () -> false);
  }

  /** Drives the batch until something is so, or until it has ended. */
  public void until(BatchRun run, BooleanSupplier condition) {
    for (int round = 0; round < 50; round++) {
      if (drive(run).ended() || condition.getAsBoolean()) {
        return;
      }
      List<String> pending = pending(run);
      if (pending.isEmpty()) {
        fleet.decide(run.grant(), Fleet.GRANT);
      }
      // What follows an end at once is for the next round.
      pending.forEach(job -> end(job, JobOutcome.Done));
    }
    throw new AssertionError("the batch does not go on; it offers " + offered(run));
  }

  private List<String> pending(BatchRun run) {
    return fleet.rows.waiting(run.grant()).stream().map(Row.Job::id).toList();
  }

  /** The only job of the batch that nobody has. */
  public String only(BatchRun run) {
    List<String> found = pending(run);
    if (found.size() != 1) {
      throw new AssertionError("nobody has " + found);
    }
    return found.getFirst();
  }

  /** The live job of a hook, by its name and target. */
  public String job(BatchRun run, String hook, String target) {
    List<String> found =
        fleet.rows.jobs(run.grant()).stream()
            .filter(job -> LIVE.contains(job.state()))
            .filter(
                job ->
                    hook(job)
                        .filter(one -> one.name().equals(hook) && one.target().equals(target))
                        .isPresent())
            .map(Row.Job::id)
            .toList();
    if (found.size() != 1) {
      throw new AssertionError("of " + hook + " " + target + " there are " + found);
    }
    return found.getFirst();
  }

  public ClaimResult claim(String job) {
    return board.claim(job, "consumer", ANYBODY);
  }

  /** Claims the job and ends it so. */
  public void end(String job, JobOutcome outcome) {
    end(job, new JobResult().setOutcome(outcome).setMessage("said " + outcome));
  }

  /** Claims the job and ends it so. */
  public void end(String job, JobResult result) {
    ClaimResult.Granted claim = (ClaimResult.Granted) claim(job);
    JobStep step = JobStep.valueOf(job.split("\\.")[1]);
    if (READS.contains(step) && result.getOutcome() == JobOutcome.Done) {
      result.setMark(fleet.mark()).setInstances(new InstanceReportArray());
    }
    board.complete(job, claim.secret(), JobReport.of(result), ANYBODY);
  }

  /** Ends the only open job, the diagnosis of a failed host: the signature is unknown. */
  public void diagnosed(BatchRun run) {
    end(
        only(run),
        new JobResult()
            .setOutcome(JobOutcome.Done)
            .setMessage("unknown")
            .setFacts(
                new StringMap(
                    Map.of("diagnosis.reachable", "true", "diagnosis.signature", "unknown"))));
  }

  private Optional<Row.Hook> hook(Row.Job job) {
    return fleet.rows.hooks().stream()
        .filter(hook -> hook.grant().equals(job.grant()))
        .filter(hook -> job.hook().equals(Optional.of(hook.number())))
        .findFirst();
  }

  /** What of the batch waits for a consumer or is with one, as STEP NAME TARGET or STEP HOST. */
  public List<String> offered(BatchRun run) {
    return fleet.rows.jobs(run.grant()).stream()
        .filter(job -> LIVE.contains(job.state()))
        .map(this::told)
        .toList();
  }

  /** What was done, in its order. */
  public List<String> done(BatchRun run) {
    return fleet.rows.jobs(run.grant()).stream()
        .filter(job -> job.state() == JobState.Done)
        .sorted(Comparator.comparing(job -> job.endedAt().orElseThrow()))
        .map(this::told)
        .toList();
  }

  private String told(Row.Job job) {
    String of =
        hook(job)
            .map(
                hook ->
                    hook.target().equals(job.grant())
                        ? hook.name()
                        : hook.name() + " " + hook.target())
            .orElse(job.host());
    return job.step() + " " + of;
  }

  @Override
  public void close() {
    database.close();
  }
}
