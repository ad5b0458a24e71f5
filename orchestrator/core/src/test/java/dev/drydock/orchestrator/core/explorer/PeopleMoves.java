package dev.drydock.orchestrator.core.explorer;

import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.core.batch.ClosedDecision;
import dev.drydock.orchestrator.core.batch.FailureAnswerRule;
import dev.drydock.orchestrator.core.batch.FailureAnswerRule.Question;
import dev.drydock.orchestrator.core.batch.SnapshotDraft;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchHost;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Decision.Kind;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.Decision.Patience;
import dev.drydock.orchestrator.core.model.Grant;
import dev.drydock.orchestrator.core.model.HostEnd;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.RepairLoad;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** What people do, and what time does while they do not. */
final class PeopleMoves {
  private final Steps steps;
  private final Scenario scenario;

  PeopleMoves(Steps steps, Scenario scenario) {
    this.steps = steps;
    this.scenario = scenario;
  }

  void moves() {
    BatchSnapshot rows = steps.before().rows;
    Grant grant = rows.grant();
    of(rows, Kind.BLOCKED_BATCH).forEach(this::failed);
    if (!grant.aborted() && grant.turnedBack().isEmpty()) {
      of(rows, Kind.LATE_DRAIN).filter(Decision::open).forEach(this::late);
    }
    of(rows, Kind.REPAIR_APPROVAL)
        .filter(asked -> asked.open() && open(rows, asked))
        .forEach(this::approval);
    if (rows.aborted().isEmpty()) {
      steps.strikes(
          Fault.ABORT,
          "people abort",
          after -> {
            after.rows = Rows.of(after).aborted("aborted by ann: stop").done();
            return after;
          });
    }
    if (!grant.aborted()) {
      steps.strikes(
          Fault.BROKEN_GLASS,
          "people break the glass",
          after -> {
            after.rows = Rows.of(after).grant(Rows.barred(grant)).cancel(_ -> true).done();
            return after;
          });
    }
    time(rows);
  }

  /**
   * The second half of a broken glass: the hosts are locked, and leave their batch.
   *
   * @param lives whether anything else goes on meanwhile
   */
  void taken(boolean lives) {
    BatchState before = steps.before();
    if (!before.rows.grant().aborted() || before.is(BatchState.TAKEN)) {
      return;
    }
    boolean waits = !lives && before.rows.remediations().stream().anyMatch(Remediation::open);
    steps.taken(waits ? "an open remediation waits for ever" : "", PeopleMoves::take);
  }

  private static void take(BatchState after) {
    SnapshotDraft snapshotDraft = new SnapshotDraft(Rows.of(after).cancel(_ -> true).done());
    for (BatchHost host : after.rows.hosts()) {
      after.locks[BatchState.of(host.name())] = BatchState.QUARANTINED;
      after.left(host.name(), HostEnd.QUARANTINED);
      snapshotDraft.act(new Action.Quarantine(host.name(), "its hold was ended by ann"));
    }
    after.rows = snapshotDraft.snapshot();
    after.flags |= BatchState.TAKEN;
  }

  private static Stream<Decision> of(BatchSnapshot rows, Kind kind) {
    return rows.decisions().stream().filter(one -> one.is(kind));
  }

  private void failed(Decision failure) {
    if (ClosedDecision.why(steps.before().rows, failure, "").isPresent()) {
      return;
    }
    Question question = Question.of(steps.before().rows, failure);
    for (Option how : List.of(Option.RETRY, Option.GO_ON, Option.ABORT)) {
      if (FailureAnswerRule.impossible(question, how).isEmpty()) {
        String name = "failure " + failure.number() + " answered " + how.word();
        answered(name, failure, how, how == Option.GO_ON);
      }
    }
  }

  private void late(Decision overrun) {
    String name = "late drain " + overrun.number() + " answered ";
    if (overrun.patience().orElseThrow().expiresAt().isAfter(Rows.NOW)) {
      for (Option how :
          List.of(Option.WAIT, Option.FORCE, Option.REVERT, Option.REQUEUE, Option.QUARANTINE)) {
        answered(name + how.word(), overrun, how, how == Option.WAIT);
      }
      unanswered(name + "by nobody", name + "not yet", overrun);
    }
  }

  private static boolean open(BatchSnapshot rows, Decision asked) {
    return rows.remediations().stream()
        .anyMatch(
            one ->
                one.open()
                    && asked.hosts().contains(one.host())
                    && asked.step().equals(one.step().word()));
  }

  private void approval(Decision asked) {
    Rung rung = ((Decision.RepairApproval) asked.subject()).rung();
    String name = rung.word() + " of " + asked.hosts().getFirst();
    answered(name + " approved", asked, Option.APPROVE, true);
    answered(name + " refused", asked, Option.REFUSE, false);
    if (asked.patience().orElseThrow().expiresAt().isAfter(Rows.NOW)) {
      unanswered(name + " answered by nobody", name + " not answered yet", asked);
    }
  }

  private void answered(String name, Decision asked, Option how, boolean kind) {
    Consumer<BatchState> answer = after -> after.rows = Rows.of(after).answered(asked, how).done();
    if (kind) {
      steps.kind(name, answer);
    } else {
      steps.free(name, answer);
    }
  }

  private void unanswered(String nobody, String notYet, Decision asked) {
    Patience patience = asked.patience().orElseThrow();
    steps.fault(Fault.NO_ANSWER, nobody, after -> again(after, asked, Rows.LONG_AGO));
    steps.fault(Fault.REMINDED, notYet, after -> again(after, asked, patience.expiresAt()));
  }

  private static void again(BatchState after, Decision asked, Instant expires) {
    Patience patience =
        new Patience(asked.patience().orElseThrow().remindEvery(), Rows.LONG_AGO, expires);
    after.rows = Rows.of(after).decision(asked, asked.patient(patience)).done();
  }

  private void time(BatchSnapshot rows) {
    for (BatchJob batchJob : rows.jobs()) {
      boolean found =
          batchJob.done()
              && batchJob.repair().filter(RepairAction.DIAGNOSE.word()::equals).isPresent()
              && batchJob.endedAt().equals(Optional.of(Rows.NOW))
              && rows.remediations().stream()
                  .anyMatch(
                      one ->
                          one.open()
                              && !one.taken().isEmpty()
                              && one.taken().getLast().job().equals(batchJob.id()));
      if (found && batchJob.facts().containsKey("diagnosis.others")) {
        steps.kind(
            "time passes after others were found on " + batchJob.host(),
            after -> after.rows = Rows.of(after).job(batchJob.id(), Rows::old).done());
      } else if (found) {
        steps.fault(
            Fault.OLD,
            "what was found of " + batchJob.host() + " gets old",
            after -> after.rows = Rows.of(after).job(batchJob.id(), Rows::old).done());
      }
    }
    if (steps.before().is(BatchState.CROWDED)) {
      steps.kind("others are repaired", after -> crowd(after, 0));
    } else if (!scenario.ladder().isEmpty()) {
      steps.fault(Fault.CROWDED, "many are repaired elsewhere", after -> crowd(after, 1));
    }
  }

  private static void crowd(BatchState after, int acting) {
    Map<String, RepairLoad> loads = new HashMap<>();
    after.rows.loads().forEach((host, _) -> loads.put(host, new RepairLoad(acting, 0, 0, false)));
    after.rows = Rows.of(after).loads(loads).done();
    after.flags = acting > 0 ? after.flags | BatchState.CROWDED : after.flags & ~BatchState.CROWDED;
  }
}
