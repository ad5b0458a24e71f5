package dev.drydock.orchestrator.core.explorer;

import dev.drydock.impact.core.Hook.Stage;
import dev.drydock.orchestrator.core.model.BatchHost;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.Check.Kind;
import dev.drydock.orchestrator.core.model.Check.Verdict;
import dev.drydock.orchestrator.core.model.Grant;
import dev.drydock.orchestrator.core.model.GrantStage;
import dev.drydock.orchestrator.core.model.Job;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.Step;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** What the board, its consumers and the grantor do. */
final class BoardMoves {
  /** The board gives no job out more often. */
  private static final int ATTEMPTS_MAX = 2;

  private final Steps steps;
  private final Rules rules;
  private final Scenario scenario;
  private final Bug bug;

  BoardMoves(Steps steps, Rules rules, Scenario scenario, Bug bug) {
    this.steps = steps;
    this.rules = rules;
    this.scenario = scenario;
    this.bug = bug;
  }

  void moves() {
    BatchSnapshot rows = steps.before().rows;
    for (Job job : rows.jobs()) {
      if (job.status() == JobStatus.CLAIMED) {
        claimed(job, _ -> {});
      }
    }
    for (Job job : rows.jobs()) {
      if (job.status() == JobStatus.PENDING) {
        pending(job);
      }
    }
    rows.checks().forEach(this::check);
  }

  private void pending(Job job) {
    World world = steps.before();
    Grant grant = world.rows.grant();
    String name = name(job);
    boolean barred =
        job.step().leadsForward() && (grant.aborted() || grant.turnedBack().isPresent());
    if (job.run() != grant.run() || barred) {
      // Nobody may take it: its time ends.
      steps.kind(name + " expires", after -> end(after, job, JobStatus.EXPIRED, "", false));
      return;
    }
    steps.fault(
        Fault.UNCLAIMED,
        name + " is claimed by nobody",
        after -> end(after, job, JobStatus.EXPIRED, "", false));
    if (job.step() == Step.DRAIN && !bug.boardBlind()) {
      Optional<Check> open =
          world.rows.checks().stream().filter(check -> check.kind() == Kind.OPEN).findFirst();
      Verdict verdict = open.map(Check::verdict).orElse(Verdict.REQUESTED);
      boolean drained =
          world.rows.jobs().stream().anyMatch(one -> one.step() == Step.DRAIN && one.done());
      if (verdict == Verdict.GRANT && !drained && world.is(World.STALE)) {
        steps.kind(
            name + " asks the open check again",
            after -> after.rows = Rows.of(after).check(asked(open.orElseThrow())).done());
        return;
      }
      if (verdict != Verdict.GRANT) {
        return;
      }
    }
    if (scenario.coarse()) {
      claimed(claim(job), after -> take(after, job));
    } else {
      steps.kind(name + " is claimed", after -> take(after, job));
    }
  }

  private static Check asked(Check open) {
    return new Check(Kind.OPEN, open.round() + 1, Verdict.REQUESTED, "", Rows.NOW);
  }

  private static Job claim(Job job) {
    return job.with(JobStatus.CLAIMED, job.attempt() + 1, job.message(), Optional.empty());
  }

  private void take(World after, Job job) {
    rules.claims(after, job);
    after.rows = Rows.of(after).job(job.id(), BoardMoves::claim).done();
    after.truth[World.of(job.host())] = Truth.given(after.truth[World.of(job.host())], job);
  }

  /** All ways in which a job that somebody has may end. */
  private void claimed(Job job, Consumer<World> first) {
    String name = name(job);
    boolean hook = job.step() == Step.HOOK || job.step() == Step.UNHOOK;
    int truth = steps.before().truth[World.of(job.host())];
    boolean verify = job.step() == Step.VERIFY;
    // A host that was not updated may be on the release, and is not if it is known to be elsewhere.
    int elsewhere = back(steps.before(), job) ? Truth.ON_RELEASE : Truth.TAKEN_BACK;
    boolean there =
        Truth.any(truth, Truth.ON_RELEASE | Truth.UPDATED) && !Truth.is(truth, elsewhere);
    if (!verify || there) {
      steps.kind(
          name + " Done", first.andThen(after -> end(after, job, JobStatus.DONE, "", false)));
    } else {
      steps.kind(
          name + " Failed: another release",
          first.andThen(after -> end(after, job, JobStatus.FAILED, "another release", false)));
      if (!Truth.is(truth, Truth.TOUCHED)) {
        steps.free(
            name + " Done: on the release",
            first.andThen(after -> end(after, job, JobStatus.DONE, "it is on it", false)));
      }
    }
    Untouched.moves(steps, job, name, first);
    if (!verify || there) {
      steps.fault(
          Fault.FAILED,
          name + " Failed",
          first.andThen(after -> end(after, job, JobStatus.FAILED, "it did not work", false)));
    }
    if (!hook) {
      steps.fault(
          Fault.UNKNOWN,
          name + " Unknown",
          first.andThen(after -> end(after, job, JobStatus.UNKNOWN, "nobody knows", false)));
    }
    silent(job, name, first);
    if (job.step() == Step.FREEZE) {
      steps.fault(
          Fault.OBJECTED,
          name + " Failed: the board objects",
          first.andThen(after -> end(after, job, JobStatus.FAILED, "found another", true)));
    }
    if (hook) {
      steps.fault(
          Fault.WAITED,
          name + " Wait",
          first.andThen(after -> end(after, job, JobStatus.WAITED, "not yet", false)));
    }
    boolean mayVeto =
        job.step() == Step.HOOK
            && steps.before().rows.hooks().get(job.hook() - 1).stage() == Stage.BEFORE_UNDEPLOY;
    if (mayVeto) {
      steps.fault(
          Fault.VETOED,
          name + " Veto",
          first.andThen(after -> end(after, job, JobStatus.VETOED, "not now", false)));
    }
    if (job.repair().filter(RepairAction.DIAGNOSE.word()::equals).isPresent()) {
      Map.of(
              Fault.HOPELESS, Found.HOPELESS,
              Fault.UNRECOGNISED, Found.UNRECOGNISED,
              Fault.OTHERS, Found.OTHERS)
          .forEach(
              (fault, found) ->
                  steps.fault(
                      fault,
                      name + " Done: " + found,
                      first.andThen(
                          after -> end(after, job, JobStatus.DONE, found.toString(), false))));
    }
  }

  private void silent(Job job, String name, Consumer<World> first) {
    steps.fault(
        Fault.SILENT,
        name + " falls silent and expires",
        first.andThen(after -> end(after, job, JobStatus.EXPIRED, "", false)));
    if (job.attempt() < ATTEMPTS_MAX) {
      steps.fault(
          Fault.AGAIN,
          name + " falls silent and is given out again",
          first.andThen(
              after ->
                  after.rows =
                      Rows.of(after)
                          .job(
                              job.id(),
                              one ->
                                  one.with(JobStatus.PENDING, one.attempt(), "", Optional.empty()))
                          .done()));
    }
  }

  private static void end(World after, Job job, JobStatus how, String says, boolean held) {
    boolean diagnosed =
        how == JobStatus.DONE
            && job.repair().filter(RepairAction.DIAGNOSE.word()::equals).isPresent();
    Map<String, String> facts = diagnosed ? Found.of(says).facts() : Map.of();
    Job.Told told = Untouched.told(after, job, how);
    after.rows =
        Rows.of(after).job(job.id(), one -> Rows.ended(one, how, says, held, facts, told)).done();
    int host = World.of(job.host());
    if (job.given()) {
      after.truth[host] = Truth.ended(after.truth[host], job, how, back(after, job));
    }
  }

  /** Whether work on the host is about the release that it had before. */
  private static boolean back(World world, Job job) {
    return world.rows.hosts().stream()
        .filter(one -> one.name().equals(job.host()))
        .findFirst()
        .flatMap(BatchHost::backTo)
        .isPresent();
  }

  private void check(Check check) {
    String name = "the " + check.kind().word() + " check";
    Grant grant = steps.before().rows.grant();
    if (!check.requested()) {
      boolean useful =
          check.kind() == Kind.OPEN
              && check.verdict() == Verdict.GRANT
              && !steps.before().is(World.STALE)
              && steps.before().rows.jobs().stream()
                  .anyMatch(job -> job.step() == Step.DRAIN && !job.ended());
      if (useful) {
        steps.fault(Fault.STALE, name + " gets old", after -> after.flags |= World.STALE);
      }
      return;
    }
    steps.kind(
        name + " says Grant",
        after -> {
          GrantStage stage =
              check.kind() == Kind.OPEN
                  ? GrantStage.OPEN
                  : grant.stage() == GrantStage.PROVISIONAL ? GrantStage.CONFIRMED : grant.stage();
          after.rows =
              Rows.of(after)
                  .check(decided(check, Verdict.GRANT, "all is well", check.askedAt()))
                  .grant(Rows.stage(grant, stage))
                  .done();
          if (check.kind() == Kind.OPEN) {
            after.flags = (after.flags | World.OPENED) & ~World.STALE;
          }
        });
    steps.fault(
        Fault.HOLD,
        name + " says Hold",
        after ->
            after.rows =
                Rows.of(after)
                    .check(decided(check, Verdict.HOLD, "too many are down", check.askedAt()))
                    .done());
    if (!check.askedAt().isBefore(Rows.NOW)) {
      steps.fault(
          Fault.NO_VERDICT,
          name + " says nothing in time",
          after ->
              after.rows =
                  Rows.of(after)
                      .check(decided(check, Verdict.REQUESTED, "", Rows.LONG_AGO))
                      .done());
    }
  }

  private static Check decided(Check check, Verdict how, String why, java.time.Instant asked) {
    return new Check(check.kind(), check.round(), how, why, asked);
  }

  private static String name(Job job) {
    return "%s %s (%d)".formatted(job.step().word(), job.host(), job.round())
        + job.repair().map(repair -> " " + repair).orElse("");
  }
}
