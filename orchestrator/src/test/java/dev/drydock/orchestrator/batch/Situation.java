package dev.drydock.orchestrator.batch;

import dev.drydock.api.DecisionOption;
import dev.drydock.impact.core.Hook;
import dev.drydock.impact.core.Hook.Scope;
import dev.drydock.impact.core.Hook.Stage;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.impact.core.LateDrain;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.control.Command;
import dev.drydock.orchestrator.control.RolloutControl;
import dev.drydock.orchestrator.core.model.BatchHook.Source;
import dev.drydock.orchestrator.core.model.HookPolicy;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.decision.Decisions;
import dev.drydock.orchestrator.store.GrantStore;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.HookBench;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Batches from their grant to their end, chosen so that every kind of action is decided. */
enum Situation {
  FORWARD_WITH_HOOKS(Situation::forwardWithHooks),
  HELD_AFTER_HOOKS(Situation::heldAfterHooks),
  HOST_FAILURE_ASKED(Situation::hostFailureAsked),
  HOST_FAILURE_DECIDED_BY_POLICY(Situation::hostFailureDecidedByPolicy),
  LATE_DRAIN_ASKED(Situation::lateDrainAsked),
  LATE_DRAIN_NOBODY_ANSWERS(Situation::lateDrainNobodyAnswers),
  LATE_DRAIN_QUARANTINED(Situation::lateDrainQuarantined),
  REPAIR_APPROVED(Situation::repairApproved),
  REPAIR_NOBODY_APPROVES(Situation::repairNobodyApproves),
  REPAIR_BY_THE_RELEASE_BEFORE(Situation::repairByTheReleaseBefore),
  ABORTED(Situation::aborted),
  RUN_FOLLOWED_BY_ANOTHER(Situation::runFollowedByAnother),
  LOST_RUN(Situation::lostRun);

  private static final Principal SECOND = new Principal("second", "sre", Role.ADMIN, Set.of());
  private static final String REACHABLE =
      "{\"diagnosis.reachable\": \"true\", \"diagnosis.signature\": \"disk-full\"}";

  private final Consumer<Mirror> course;

  Situation(Consumer<Mirror> course) {
    this.course = course;
  }

  /** Brings a batch through it. */
  void play(Mirror mirror) {
    course.accept(mirror);
  }

  private static void hooks(Mirror mirror) {
    Hook move = HookBench.pre("move", Stage.BEFORE_UNDEPLOY, Scope.INSTANCE, 100);
    Hook note = HookBench.pre("note", Stage.AFTER_UNDEPLOY, Scope.BATCH, 100);
    mirror.fleet.wanted =
        List.of(
            new HookPolicy(
                new Source("web", 3, "web-team"),
                Set.of("web"),
                List.of(move, note, HookBench.post(note), HookBench.post(move))));
  }

  /** One host is on the release already, and one is not, although the inventory says so. */
  private static void forwardWithHooks(Mirror mirror) {
    hooks(mirror);
    mirror.fleet.host("a1");
    mirror.fleet.host("a2");
    mirror.fleet.host("a3");
    mirror.fleet.execute("UPDATE hosts SET release = '2' WHERE name <> 'a3'");
    String grant = mirror.beginKnown("a1", "a2", "a3");
    mirror.decide(grant);
    mirror.steps.endOf("a1", JobStatus.DONE);
    mirror.steps.endOf("a2", JobStatus.FAILED);
    mirror.steps.toEnd(grant);
  }

  private static void heldAfterHooks(Mirror mirror) {
    hooks(mirror);
    String grant = mirror.begin("a1", "a2");
    mirror.steps.reach(grant, Step.HOOK);
    mirror.steps.end(grant, JobStatus.DONE);
    mirror.decide(grant);
    mirror.fleet.decide(grant, Fleet.HOLD);
    mirror.steps.toEnd(grant);
  }

  private static void hostFailureAsked(Mirror mirror) {
    mirror.fleet.onHostFailure = OnHostFailure.HOLD;
    String grant = mirror.begin("a1", "a2");
    mirror.steps.reach(grant, Step.FREEZE);
    mirror.steps.endOf("a1", JobStatus.FAILED);
    mirror.steps.endOf("a2", JobStatus.DONE);
    mirror.decide(grant);
    answer(mirror, grant + ".1", DecisionOption.Retry);
    mirror.decide(grant);
    mirror.steps.end(grant, JobStatus.UNKNOWN);
    mirror.decide(grant);
    answer(mirror, grant + ".2", DecisionOption.GoOn);
    mirror.steps.toEnd(grant);
  }

  private static void answer(Mirror mirror, String question, DecisionOption answer) {
    answer(mirror, HookBench.ANYBODY, question, answer);
  }

  private static void hostFailureDecidedByPolicy(Mirror mirror) {
    mirror.fleet.onHostFailure = OnHostFailure.GO_ON;
    String grant = mirror.begin("a1", "a2");
    mirror.steps.reach(grant, Step.UPDATE);
    mirror.steps.endOf("a1", JobStatus.FAILED);
    mirror.steps.toEnd(grant);
  }

  /** People wait for longer, and force it after that. */
  private static void lateDrainAsked(Mirror mirror) {
    mirror.fleet.late = late(LateDrain.Way.ASK, Duration.ofHours(1), Duration.ofHours(4));
    String grant = drainLate(mirror);
    mirror.decide(grant);
    answer(mirror, HookBench.ANYBODY, grant + ".1", DecisionOption.Wait);
    mirror.decide(grant);
    mirror.fleet.decide(grant, Fleet.GRANT);
    mirror.decide(grant);
    mirror.steps.end(grant, JobStatus.FAILED);
    mirror.decide(grant);
    answer(mirror, HookBench.ANYBODY, grant + ".2", DecisionOption.Force);
    answer(mirror, SECOND, grant + ".2", DecisionOption.Force);
    mirror.steps.toEnd(grant);
  }

  /** The Drain of the first of two hosts ended late. */
  private static String drainLate(Mirror mirror) {
    String grant = mirror.begin("a1", "a2");
    mirror.steps.reach(grant, Step.DRAIN);
    mirror.steps.endOf("a1", JobStatus.FAILED);
    mirror.steps.endOf("a2", JobStatus.DONE);
    return grant;
  }

  private static LateDrain late(LateDrain.Way way, Duration remind, Duration expires) {
    return new LateDrain(way, remind, expires);
  }

  private static void answer(Mirror mirror, Principal by, String question, DecisionOption answer) {
    new Decisions(mirror.jdbi(), mirror.fleet.onward).answer(by, question, answer, "seen");
  }

  private static void lateDrainNobodyAnswers(Mirror mirror) {
    mirror.fleet.late = late(LateDrain.Way.ASK, Duration.ZERO, Duration.ofHours(1));
    String grant = drainLate(mirror);
    mirror.decide(grant);
    mirror.decide(grant);
    mirror.fleet.workAsIf.decisionsExpire();
    mirror.steps.toEnd(grant);
  }

  private static void lateDrainQuarantined(Mirror mirror) {
    mirror.fleet.late = late(LateDrain.Way.QUARANTINE, Duration.ofHours(1), Duration.ofHours(4));
    mirror.steps.toEnd(drainLate(mirror));
  }

  /** An Update failed, its host was diagnosed, and the only rung is to be approved. */
  private static String approvalAsked(Mirror mirror) {
    mirror.fleet.ladder = new Ladder(List.of(Rung.CLEAN_DISK), Set.of(Rung.CLEAN_DISK));
    String grant = mirror.begin("a1", "a2");
    mirror.steps.reach(grant, Step.UPDATE);
    mirror.steps.endOf("a1", JobStatus.FAILED);
    mirror.steps.endOf("a2", JobStatus.DONE);
    mirror.decide(grant);
    mirror.steps.end(grant, JobStatus.DONE, REACHABLE);
    mirror.decide(grant);
    return grant;
  }

  private static void repairApproved(Mirror mirror) {
    String grant = approvalAsked(mirror);
    answer(mirror, grant + ".1", DecisionOption.Approve);
    mirror.steps.toEnd(grant);
  }

  private static void repairNobodyApproves(Mirror mirror) {
    String grant = approvalAsked(mirror);
    mirror.fleet.workAsIf.decisionsOld("2 h");
    mirror.decide(grant);
    mirror.fleet.workAsIf.decisionsOld("24 h");
    mirror.steps.toEnd(grant);
  }

  private static void repairByTheReleaseBefore(Mirror mirror) {
    mirror.fleet.ladder = new Ladder(List.of(Rung.ROLL_BACK));
    mirror.fleet.execute(
        "INSERT INTO releases (name, spec, created_by) SELECT '1', spec, 'test' FROM releases");
    mirror.fleet.host("a1");
    mirror.fleet.execute("UPDATE hosts SET release = '1'");
    String grant = mirror.beginKnown("a1");
    mirror.steps.reach(grant, Step.UPDATE);
    mirror.steps.end(grant, JobStatus.FAILED);
    mirror.decide(grant);
    mirror.steps.end(grant, JobStatus.DONE, REACHABLE);
    mirror.steps.toEnd(grant);
  }

  private static void aborted(Mirror mirror) {
    String grant = mirror.begin("a1", "a2");
    mirror.steps.reach(grant, Step.DRAIN);
    mirror.steps.endOf("a1", JobStatus.DONE);
    new RolloutControl(mirror.jdbi(), mirror.fleet.onward)
        .command(HookBench.ANYBODY, "r-a1", Command.ABORT, "test");
    mirror.steps.toEnd(grant);
  }

  private static void runFollowedByAnother(Mirror mirror) {
    String grant = mirror.begin("a1", "a2");
    mirror.steps.reach(grant, Step.FREEZE);
    mirror.fleet.driver.begin(grant, "another run");
    mirror.steps.toEnd(grant);
  }

  /** One host was updated when it was lost, the other was not. */
  private static void lostRun(Mirror mirror) {
    String grant = mirror.begin("a1", "a2");
    mirror.steps.reach(grant, Step.UPDATE);
    mirror.steps.endOf("a1", JobStatus.DONE);
    int run = mirror.fleet.run(grant).run();
    new GrantStore(mirror.jdbi()).reclaim(grant, run, "its run was lost");
    mirror.fleet.driver.begin(grant, "another run");
    mirror.steps.toEnd(grant);
  }
}
