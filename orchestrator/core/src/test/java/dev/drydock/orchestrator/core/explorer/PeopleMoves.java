package dev.drydock.orchestrator.core.explorer;

import dev.drydock.orchestrator.core.batch.Draft;
import dev.drydock.orchestrator.core.batch.FailureAnswerRule;
import dev.drydock.orchestrator.core.batch.FailureAnswerRule.Question;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchHost;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.DrainOverrun;
import dev.drydock.orchestrator.core.model.Grant;
import dev.drydock.orchestrator.core.model.HostEnd;
import dev.drydock.orchestrator.core.model.HostFailure;
import dev.drydock.orchestrator.core.model.Job;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.RepairApproval;
import dev.drydock.orchestrator.core.model.RepairLoad;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

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
    rows.failures().forEach(this::answer);
    if (!grant.aborted() && grant.turnedBack().isEmpty()) {
      rows.overruns().stream().filter(overrun -> overrun.decided().isEmpty()).forEach(this::answer);
    }
    rows.approvals().stream()
        .filter(asked -> asked.approved().isEmpty() && open(rows, asked))
        .forEach(this::answer);
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
    World before = steps.before();
    if (!before.rows.grant().aborted() || before.is(World.TAKEN)) {
      return;
    }
    boolean waits = !lives && before.rows.remediations().stream().anyMatch(Remediation::open);
    steps.taken(waits ? "an open remediation waits for ever" : "", PeopleMoves::take);
  }

  private static void take(World after) {
    Draft draft = new Draft(Rows.of(after).cancel(_ -> true).done());
    for (BatchHost host : after.rows.hosts()) {
      after.locks[World.of(host.name())] = World.QUARANTINED;
      after.left(host.name(), HostEnd.QUARANTINED);
      draft.act(new Action.Quarantine(host.name(), "its hold was ended by ann"));
    }
    after.rows = draft.snapshot();
    after.flags |= World.TAKEN;
  }

  private void answer(HostFailure failure) {
    Question question = Question.of(steps.before().rows, failure, "");
    if (FailureAnswerRule.closed(question).isPresent()) {
      return;
    }
    for (HostFailure.Decision how : HostFailure.Decision.values()) {
      if (FailureAnswerRule.impossible(question, how).isEmpty()) {
        String name = "failure " + failure.number() + " answered " + how.word();
        Consumer<World> answer = after -> after.rows = Rows.of(after).answered(failure, how).done();
        if (how == HostFailure.Decision.GO_ON) {
          steps.kind(name, answer);
        } else {
          steps.free(name, answer);
        }
      }
    }
  }

  private void answer(DrainOverrun overrun) {
    String name = "late drain " + overrun.number() + " answered ";
    if (overrun.expiresAt().isAfter(Rows.NOW)) {
      for (DrainOverrun.Decision how : DrainOverrun.Decision.values()) {
        if (how == DrainOverrun.Decision.WAIT) {
          steps.kind(name + how.word(), after -> decide(after, overrun, how));
        } else {
          steps.free(name + how.word(), after -> decide(after, overrun, how));
        }
      }
      steps.fault(
          Fault.NO_ANSWER,
          name + "by nobody",
          after -> again(after, overrun, Rows.LONG_AGO, Rows.LONG_AGO));
      steps.fault(
          Fault.REMINDED,
          name + "not yet",
          after -> again(after, overrun, Rows.LONG_AGO, overrun.expiresAt()));
    }
  }

  private static void decide(World after, DrainOverrun overrun, DrainOverrun.Decision how) {
    int round =
        after.rows.checks().stream()
            .filter(check -> check.kind() == Check.Kind.OPEN)
            .mapToInt(Check::round)
            .sum();
    after.rows =
        Rows.of(after)
            .overrun(overrun, overrun.decided(new DrainOverrun.Decided(how, "ann", ""), round))
            .done();
  }

  private static void again(World after, DrainOverrun overrun, Instant remind, Instant expires) {
    DrainOverrun old =
        new DrainOverrun(
            overrun.number(),
            overrun.jobs(),
            overrun.hosts(),
            overrun.way(),
            overrun.pace(),
            overrun.says(),
            overrun.remindEvery(),
            remind,
            expires,
            overrun.decided(),
            overrun.openRound());
    after.rows = Rows.of(after).overrun(overrun, old).done();
  }

  private static boolean open(BatchSnapshot rows, RepairApproval asked) {
    return rows.remediations().stream()
        .anyMatch(
            one -> one.open() && one.host().equals(asked.host()) && one.step() == asked.step());
  }

  private void answer(RepairApproval asked) {
    String name = asked.rung().word() + " of " + asked.host();
    steps.kind(
        name + " approved",
        after -> after.rows = Rows.of(after).approval(asked, asked.answered(true)).done());
    steps.free(
        name + " refused",
        after -> after.rows = Rows.of(after).approval(asked, asked.answered(false)).done());
    if (asked.expiresAt().isAfter(Rows.NOW)) {
      steps.fault(
          Fault.NO_ANSWER,
          name + " answered by nobody",
          after -> after.rows = Rows.of(after).approval(asked, late(asked, Rows.LONG_AGO)).done());
      steps.fault(
          Fault.REMINDED,
          name + " not answered yet",
          after ->
              after.rows = Rows.of(after).approval(asked, late(asked, asked.expiresAt())).done());
    }
  }

  private static RepairApproval late(RepairApproval asked, Instant expires) {
    return new RepairApproval(
        asked.host(),
        asked.step(),
        asked.rung(),
        asked.found(),
        Rows.LONG_AGO,
        expires,
        asked.approved());
  }

  private void time(BatchSnapshot rows) {
    for (Job job : rows.jobs()) {
      boolean found =
          job.done()
              && job.repair().filter(RepairAction.DIAGNOSE.word()::equals).isPresent()
              && job.endedAt().equals(Optional.of(Rows.NOW))
              && rows.remediations().stream()
                  .anyMatch(
                      one ->
                          one.open()
                              && !one.taken().isEmpty()
                              && one.taken().getLast().job().equals(job.id()));
      if (found && job.facts().containsKey("diagnosis.others")) {
        steps.kind(
            "time passes after others were found on " + job.host(),
            after -> after.rows = Rows.of(after).job(job.id(), Rows::old).done());
      } else if (found) {
        steps.fault(
            Fault.OLD,
            "what was found of " + job.host() + " gets old",
            after -> after.rows = Rows.of(after).job(job.id(), Rows::old).done());
      }
    }
    if (steps.before().is(World.CROWDED)) {
      steps.kind("others are repaired", after -> crowd(after, 0));
    } else if (!scenario.ladder().isEmpty()) {
      steps.fault(Fault.CROWDED, "many are repaired elsewhere", after -> crowd(after, 1));
    }
  }

  private static void crowd(World after, int acting) {
    Map<String, RepairLoad> loads = new HashMap<>();
    after.rows.loads().forEach((host, _) -> loads.put(host, new RepairLoad(acting, 0, 0, false)));
    after.rows = Rows.of(after).loads(loads).done();
    after.flags = acting > 0 ? after.flags | World.CROWDED : after.flags & ~World.CROWDED;
  }
}
