package dev.drydock.orchestrator.batch;

import dev.drydock.api.DecisionOption;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.impact.core.LateDrain;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.impact.core.PolicyHook;
import dev.drydock.impact.core.PolicyHook.Scope;
import dev.drydock.impact.core.PolicyHook.Stage;
import dev.drydock.orchestrator.control.RolloutCommand;
import dev.drydock.orchestrator.control.RolloutControl;
import dev.drydock.orchestrator.core.model.BatchHook.Source;
import dev.drydock.orchestrator.core.model.HookPolicy;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Step;
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
enum BatchScenarios {
  FORWARD_WITH_HOOKS(BatchScenarios::forwardWithHooks),
  HELD_AFTER_HOOKS(BatchScenarios::heldAfterHooks),
  HOST_FAILURE_ASKED(BatchScenarios::hostFailureAsked),
  HOST_FAILURE_DECIDED_BY_POLICY(BatchScenarios::hostFailureDecidedByPolicy),
  LATE_DRAIN_ASKED(BatchScenarios::lateDrainAsked),
  LATE_DRAIN_NOBODY_ANSWERS(BatchScenarios::lateDrainNobodyAnswers),
  LATE_DRAIN_QUARANTINED(BatchScenarios::lateDrainQuarantined),
  REPAIR_APPROVED(BatchScenarios::repairApproved),
  REPAIR_NOBODY_APPROVES(BatchScenarios::repairNobodyApproves),
  REPAIR_BY_THE_RELEASE_BEFORE(BatchScenarios::repairByTheReleaseBefore),
  ABORTED(BatchScenarios::aborted),
  RUN_FOLLOWED_BY_ANOTHER(BatchScenarios::runFollowedByAnother),
  LOST_RUN(BatchScenarios::lostRun);

  private static final Principal SECOND = new Principal("second", "sre", Role.ADMIN, Set.of());
  private static final String REACHABLE =
      "{\"diagnosis.reachable\": \"true\", \"diagnosis.signature\": \"disk-full\"}";

  private final Consumer<DraftComparison> course;

  BatchScenarios(Consumer<DraftComparison> course) {
    this.course = course;
  }

  /** Brings a batch through it. */
  void play(DraftComparison draftComparison) {
    course.accept(draftComparison);
  }

  private static void hooks(DraftComparison draftComparison) {
    PolicyHook move = HookBench.pre("move", Stage.BEFORE_UNDEPLOY, Scope.INSTANCE, 100);
    PolicyHook note = HookBench.pre("note", Stage.AFTER_UNDEPLOY, Scope.BATCH, 100);
    draftComparison.fleet.wanted =
        List.of(
            new HookPolicy(
                new Source("web", 3, "web-team"),
                Set.of("web"),
                List.of(move, note, HookBench.post(note), HookBench.post(move))));
  }

  /** One host is on the release already, and one is not, although the inventory says so. */
  private static void forwardWithHooks(DraftComparison draftComparison) {
    hooks(draftComparison);
    draftComparison.fleet.host("a1");
    draftComparison.fleet.host("a2");
    draftComparison.fleet.host("a3");
    draftComparison.fleet.execute("UPDATE hosts SET release = '2' WHERE name <> 'a3'");
    String grant = draftComparison.beginKnown("a1", "a2", "a3");
    draftComparison.decide(grant);
    draftComparison.steps.endOf("a1", JobStatus.DONE);
    draftComparison.steps.endOf("a2", JobStatus.FAILED);
    draftComparison.steps.toEnd(grant);
  }

  private static void heldAfterHooks(DraftComparison draftComparison) {
    hooks(draftComparison);
    String grant = draftComparison.begin("a1", "a2");
    draftComparison.steps.reach(grant, Step.HOOK);
    draftComparison.steps.end(grant, JobStatus.DONE);
    draftComparison.decide(grant);
    draftComparison.fleet.decide(grant, Fleet.WAIT);
    draftComparison.steps.toEnd(grant);
  }

  private static void hostFailureAsked(DraftComparison draftComparison) {
    draftComparison.fleet.onHostFailure = OnHostFailure.ASK;
    String grant = draftComparison.begin("a1", "a2");
    draftComparison.steps.reach(grant, Step.CORDON);
    draftComparison.steps.endOf("a1", JobStatus.FAILED);
    draftComparison.steps.endOf("a2", JobStatus.DONE);
    draftComparison.decide(grant);
    answer(draftComparison, grant + ".1", DecisionOption.Retry);
    draftComparison.decide(grant);
    draftComparison.steps.end(grant, JobStatus.UNKNOWN);
    draftComparison.decide(grant);
    answer(draftComparison, grant + ".2", DecisionOption.GoOn);
    draftComparison.steps.toEnd(grant);
  }

  private static void answer(
      DraftComparison draftComparison, String question, DecisionOption answer) {
    answer(draftComparison, HookBench.ANYBODY, question, answer);
  }

  private static void hostFailureDecidedByPolicy(DraftComparison draftComparison) {
    draftComparison.fleet.onHostFailure = OnHostFailure.GO_ON;
    String grant = draftComparison.begin("a1", "a2");
    draftComparison.steps.reach(grant, Step.UPDATE);
    draftComparison.steps.endOf("a1", JobStatus.FAILED);
    draftComparison.steps.toEnd(grant);
  }

  /** People wait for longer, and force it after that. */
  private static void lateDrainAsked(DraftComparison draftComparison) {
    draftComparison.fleet.late = late(LateDrain.Way.ASK, Duration.ofHours(1), Duration.ofHours(4));
    String grant = drainLate(draftComparison);
    draftComparison.decide(grant);
    answer(draftComparison, HookBench.ANYBODY, grant + ".1", DecisionOption.Wait);
    draftComparison.decide(grant);
    draftComparison.fleet.decide(grant, Fleet.GRANT);
    draftComparison.decide(grant);
    draftComparison.steps.end(grant, JobStatus.FAILED);
    draftComparison.decide(grant);
    answer(draftComparison, HookBench.ANYBODY, grant + ".2", DecisionOption.Force);
    answer(draftComparison, SECOND, grant + ".2", DecisionOption.Force);
    draftComparison.steps.toEnd(grant);
  }

  /** The Drain of the first of two hosts ended late. */
  private static String drainLate(DraftComparison draftComparison) {
    String grant = draftComparison.begin("a1", "a2");
    draftComparison.steps.reach(grant, Step.DRAIN);
    draftComparison.steps.endOf("a1", JobStatus.FAILED);
    draftComparison.steps.endOf("a2", JobStatus.DONE);
    return grant;
  }

  private static LateDrain late(LateDrain.Way way, Duration remind, Duration expires) {
    return new LateDrain(way, remind, expires);
  }

  private static void answer(
      DraftComparison draftComparison, Principal by, String question, DecisionOption answer) {
    draftComparison.fleet.decisions.answer(by, question, answer, "seen");
  }

  private static void lateDrainNobodyAnswers(DraftComparison draftComparison) {
    draftComparison.fleet.late = late(LateDrain.Way.ASK, Duration.ZERO, Duration.ofHours(1));
    String grant = drainLate(draftComparison);
    draftComparison.decide(grant);
    draftComparison.decide(grant);
    draftComparison.fleet.workAsIf.decisionsExpire();
    draftComparison.steps.toEnd(grant);
  }

  private static void lateDrainQuarantined(DraftComparison draftComparison) {
    draftComparison.fleet.late =
        late(LateDrain.Way.QUARANTINE, Duration.ofHours(1), Duration.ofHours(4));
    draftComparison.steps.toEnd(drainLate(draftComparison));
  }

  /** An Update failed, its host was diagnosed, and the only rung is to be approved. */
  private static String approvalAsked(DraftComparison draftComparison) {
    draftComparison.fleet.ladder = new Ladder(List.of(Rung.CLEAN_DISK), Set.of(Rung.CLEAN_DISK));
    String grant = draftComparison.begin("a1", "a2");
    draftComparison.steps.reach(grant, Step.UPDATE);
    draftComparison.steps.endOf("a1", JobStatus.FAILED);
    draftComparison.steps.endOf("a2", JobStatus.DONE);
    draftComparison.decide(grant);
    draftComparison.steps.end(grant, JobStatus.DONE, REACHABLE);
    draftComparison.decide(grant);
    return grant;
  }

  private static void repairApproved(DraftComparison draftComparison) {
    String grant = approvalAsked(draftComparison);
    answer(draftComparison, grant + ".1", DecisionOption.Approve);
    draftComparison.steps.toEnd(grant);
  }

  private static void repairNobodyApproves(DraftComparison draftComparison) {
    String grant = approvalAsked(draftComparison);
    draftComparison.fleet.workAsIf.decisionsOld("2 h");
    draftComparison.decide(grant);
    draftComparison.fleet.workAsIf.decisionsOld("24 h");
    draftComparison.steps.toEnd(grant);
  }

  private static void repairByTheReleaseBefore(DraftComparison draftComparison) {
    draftComparison.fleet.ladder = new Ladder(List.of(Rung.ROLL_BACK));
    draftComparison.fleet.execute(
        "INSERT INTO releases (name, spec, created_by) SELECT '1', spec, 'test' FROM releases");
    draftComparison.fleet.host("a1");
    draftComparison.fleet.execute("UPDATE hosts SET release = '1'");
    String grant = draftComparison.beginKnown("a1");
    draftComparison.steps.reach(grant, Step.UPDATE);
    draftComparison.steps.end(grant, JobStatus.FAILED);
    draftComparison.decide(grant);
    draftComparison.steps.end(grant, JobStatus.DONE, REACHABLE);
    draftComparison.steps.toEnd(grant);
  }

  private static void aborted(DraftComparison draftComparison) {
    String grant = draftComparison.begin("a1", "a2");
    draftComparison.steps.reach(grant, Step.DRAIN);
    draftComparison.steps.endOf("a1", JobStatus.DONE);
    new RolloutControl(draftComparison.jdbi(), draftComparison.fleet.onward)
        .command(HookBench.ANYBODY, "r-a1", RolloutCommand.ABORT, "test");
    draftComparison.steps.toEnd(grant);
  }

  private static void runFollowedByAnother(DraftComparison draftComparison) {
    String grant = draftComparison.begin("a1", "a2");
    draftComparison.steps.reach(grant, Step.CORDON);
    draftComparison.fleet.driver.begin(grant, "another run");
    draftComparison.steps.toEnd(grant);
  }

  /** One host was updated when it was lost, the other was not. */
  private static void lostRun(DraftComparison draftComparison) {
    String grant = draftComparison.begin("a1", "a2");
    draftComparison.steps.reach(grant, Step.UPDATE);
    draftComparison.steps.endOf("a1", JobStatus.DONE);
    int run = draftComparison.fleet.run(grant).run();
    new GrantStore(draftComparison.jdbi()).reclaim(grant, run, "its run was lost");
    draftComparison.fleet.driver.begin(grant, "another run");
    draftComparison.steps.toEnd(grant);
  }
}
