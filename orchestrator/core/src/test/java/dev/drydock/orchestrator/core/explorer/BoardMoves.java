package dev.drydock.orchestrator.core.explorer;

import dev.drydock.impact.core.PolicyHook.Stage;
import dev.drydock.orchestrator.core.model.BatchHost;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.Check.Kind;
import dev.drydock.orchestrator.core.model.Check.Verdict;
import dev.drydock.orchestrator.core.model.Grant;
import dev.drydock.orchestrator.core.model.GrantStage;
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
    for (BatchJob batchJob : rows.jobs()) {
      if (batchJob.status() == JobStatus.CLAIMED) {
        claimed(batchJob, _ -> {});
      }
    }
    for (BatchJob batchJob : rows.jobs()) {
      if (batchJob.status() == JobStatus.PENDING) {
        pending(batchJob);
      }
    }
    rows.checks().forEach(this::check);
  }

  private void pending(BatchJob batchJob) {
    BatchState batchState = steps.before();
    Grant grant = batchState.rows.grant();
    String name = name(batchJob);
    boolean barred =
        batchJob.step().leadsForward() && (grant.aborted() || grant.turnedBack().isPresent());
    if (batchJob.run() != grant.run() || barred) {
      // Nobody may take it: its time ends.
      steps.kind(name + " expires", after -> end(after, batchJob, JobStatus.EXPIRED, "", false));
      return;
    }
    steps.fault(
        Fault.UNCLAIMED,
        name + " is claimed by nobody",
        after -> end(after, batchJob, JobStatus.EXPIRED, "", false));
    if (batchJob.step() == Step.DRAIN && !bug.boardBlind()) {
      Optional<Check> open =
          batchState.rows.checks().stream().filter(check -> check.kind() == Kind.OPEN).findFirst();
      Verdict verdict = open.map(Check::verdict).orElse(Verdict.REQUESTED);
      boolean drained =
          batchState.rows.jobs().stream()
              .anyMatch(
                  one -> one.step() == Step.DRAIN && one.done() && one.run() == batchJob.run());
      if (verdict == Verdict.GRANT && !drained && batchState.is(BatchState.STALE)) {
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
      claimed(claim(batchJob), after -> take(after, batchJob));
    } else {
      steps.kind(name + " is claimed", after -> take(after, batchJob));
    }
  }

  private static Check asked(Check open) {
    return new Check(Kind.OPEN, open.round() + 1, Verdict.REQUESTED, "", Rows.NOW);
  }

  private static BatchJob claim(BatchJob batchJob) {
    return batchJob.with(
        JobStatus.CLAIMED, batchJob.attempt() + 1, batchJob.message(), Optional.empty());
  }

  private void take(BatchState after, BatchJob batchJob) {
    rules.claims(after, batchJob);
    after.rows = Rows.of(after).job(batchJob.id(), BoardMoves::claim).done();
    after.truth[BatchState.of(batchJob.host())] =
        ActualHostState.given(after.truth[BatchState.of(batchJob.host())], batchJob);
  }

  /** All ways in which a job that somebody has may end. */
  private void claimed(BatchJob batchJob, Consumer<BatchState> first) {
    String name = name(batchJob);
    boolean hook = batchJob.step() == Step.HOOK || batchJob.step() == Step.UNHOOK;
    int truth = steps.before().truth[BatchState.of(batchJob.host())];
    boolean verify = batchJob.step() == Step.VERIFY;
    // A host that was not updated may be on the release, and is not if it is known to be elsewhere.
    int elsewhere =
        back(steps.before(), batchJob) ? ActualHostState.ON_RELEASE : ActualHostState.TAKEN_BACK;
    boolean there =
        ActualHostState.any(truth, ActualHostState.ON_RELEASE | ActualHostState.UPDATED)
            && !ActualHostState.is(truth, elsewhere);
    if (!verify || there) {
      steps.kind(
          name + " Done", first.andThen(after -> end(after, batchJob, JobStatus.DONE, "", false)));
    } else {
      steps.kind(
          name + " Failed: another release",
          first.andThen(after -> end(after, batchJob, JobStatus.FAILED, "another release", false)));
      if (!ActualHostState.is(truth, ActualHostState.TOUCHED)) {
        steps.free(
            name + " Done: on the release",
            first.andThen(after -> end(after, batchJob, JobStatus.DONE, "it is on it", false)));
      }
    }
    Untouched.moves(steps, batchJob, name, first);
    if (!verify || there) {
      steps.fault(
          Fault.FAILED,
          name + " Failed",
          first.andThen(after -> end(after, batchJob, JobStatus.FAILED, "it did not work", false)));
    }
    if (!hook) {
      steps.fault(
          Fault.UNKNOWN,
          name + " Unknown",
          first.andThen(after -> end(after, batchJob, JobStatus.UNKNOWN, "nobody knows", false)));
    }
    silent(batchJob, name, first);
    if (batchJob.step() == Step.CORDON) {
      steps.fault(
          Fault.OBJECTED,
          name + " Failed: the board objects",
          first.andThen(after -> end(after, batchJob, JobStatus.FAILED, "found another", true)));
    }
    if (hook) {
      steps.fault(
          Fault.WAITED,
          name + " Wait",
          first.andThen(after -> end(after, batchJob, JobStatus.WAITED, "not yet", false)));
    }
    boolean mayVeto =
        batchJob.step() == Step.HOOK
            && steps.before().rows.hooks().get(batchJob.hook() - 1).stage()
                == Stage.BEFORE_UNDEPLOY;
    if (mayVeto) {
      steps.fault(
          Fault.VETOED,
          name + " Veto",
          first.andThen(after -> end(after, batchJob, JobStatus.VETOED, "not now", false)));
    }
    if (batchJob.repair().filter(RepairAction.DIAGNOSE.word()::equals).isPresent()) {
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
                          after -> end(after, batchJob, JobStatus.DONE, found.toString(), false))));
    }
  }

  private void silent(BatchJob batchJob, String name, Consumer<BatchState> first) {
    steps.fault(
        Fault.SILENT,
        name + " falls silent and expires",
        first.andThen(after -> end(after, batchJob, JobStatus.EXPIRED, "", false)));
    if (batchJob.attempt() < ATTEMPTS_MAX) {
      steps.fault(
          Fault.AGAIN,
          name + " falls silent and is given out again",
          first.andThen(
              after ->
                  after.rows =
                      Rows.of(after)
                          .job(
                              batchJob.id(),
                              one ->
                                  one.with(JobStatus.PENDING, one.attempt(), "", Optional.empty()))
                          .done()));
    }
  }

  private static void end(
      BatchState after, BatchJob batchJob, JobStatus how, String says, boolean held) {
    boolean diagnosed =
        how == JobStatus.DONE
            && batchJob.repair().filter(RepairAction.DIAGNOSE.word()::equals).isPresent();
    Map<String, String> facts = diagnosed ? Found.of(says).facts() : Map.of();
    BatchJob.Told told = Untouched.told(after, batchJob, how);
    after.rows =
        Rows.of(after)
            .job(batchJob.id(), one -> Rows.ended(one, how, says, held, facts, told))
            .done();
    int host = BatchState.of(batchJob.host());
    if (batchJob.given()) {
      after.truth[host] =
          ActualHostState.ended(after.truth[host], batchJob, how, back(after, batchJob));
    }
  }

  /** Whether work on the host is about the release that it had before. */
  private static boolean back(BatchState batchState, BatchJob batchJob) {
    return batchState.rows.hosts().stream()
        .filter(one -> one.name().equals(batchJob.host()))
        .findFirst()
        .flatMap(BatchHost::backTo)
        .isPresent();
  }

  private void check(Check check) {
    String name = "the " + check.kind().word() + " check";
    Grant grant = steps.before().rows.grant();
    if (!check.requested()) {
      if (check.verdict() == Verdict.WAIT
          && grant.reclaim().isPresent()
          && !check.askedAt().isBefore(Rows.NOW)) {
        steps.kind(
            "the Wait of " + name + " gets old",
            after ->
                after.rows =
                    Rows.of(after)
                        .check(decided(check, Verdict.WAIT, check.reason(), Rows.LONG_AGO))
                        .done());
      }
      boolean useful =
          check.kind() == Kind.OPEN
              && check.verdict() == Verdict.GRANT
              && !steps.before().is(BatchState.STALE)
              && steps.before().rows.jobs().stream()
                  .anyMatch(batchJob -> batchJob.step() == Step.DRAIN && !batchJob.ended());
      if (useful) {
        steps.fault(Fault.STALE, name + " gets old", after -> after.flags |= BatchState.STALE);
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
            after.flags = (after.flags | BatchState.OPENED) & ~BatchState.STALE;
          }
        });
    steps.fault(
        Fault.WAIT,
        name + " says Wait",
        after ->
            after.rows =
                Rows.of(after)
                    .check(decided(check, Verdict.WAIT, "too many are down", check.askedAt()))
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

  private static String name(BatchJob batchJob) {
    return "%s %s (%d)".formatted(batchJob.step().word(), batchJob.host(), batchJob.round())
        + batchJob.repair().map(repair -> " " + repair).orElse("");
  }
}
