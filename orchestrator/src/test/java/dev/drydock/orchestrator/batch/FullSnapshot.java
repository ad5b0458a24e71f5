package dev.drydock.orchestrator.batch;

import dev.drydock.impact.core.DrainTerms;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.impact.core.LateDrain;
import dev.drydock.impact.core.LateDrain.Way;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.impact.core.PolicyHook.Scope;
import dev.drydock.impact.core.PolicyHook.Stage;
import dev.drydock.orchestrator.core.model.BatchHook;
import dev.drydock.orchestrator.core.model.BatchHost;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.Grant;
import dev.drydock.orchestrator.core.model.GrantStage;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Mend;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.core.model.Remediation.Taken;
import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.RepairLimits;
import dev.drydock.orchestrator.core.model.RepairLoad;
import dev.drydock.orchestrator.core.model.RollbackTarget;
import dev.drydock.orchestrator.core.model.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** What is to be read of a {@link FullBatch}. */
record FullSnapshot(String grant) {
  private static final Instant AT = FullBatch.AT;
  private static final Ladder LADDER = FullBatch.LADDER;

  /** The snapshot, read at this time. */
  BatchSnapshot at(Instant now, RepairLimits limits) {
    return new BatchSnapshot(
        now,
        new Grant(
            grant,
            "r",
            2,
            true,
            GrantStage.OPEN,
            true,
            Optional.of("its run was lost"),
            true,
            Optional.of(true),
            OnHostFailure.ASK,
            Optional.of(new Grant.TurnedBack(RollbackTarget.REQUEUED, "few up"))),
        "PackageUpdate",
        Optional.of("aborted by sre: wrong one"),
        hosts(),
        true,
        jobs(),
        List.of(
            new Check(Check.Kind.CONFIRM, 1, Check.Verdict.GRANT, "enough up", AT),
            new Check(Check.Kind.OPEN, 2, Check.Verdict.REQUESTED, "", AT)),
        hooks(),
        List.of(),
        List.of(),
        decisions(),
        remediations(),
        limits,
        Map.of(FullBatch.REPAIRED, RepairLoad.NONE));
  }

  private static List<BatchHost> hosts() {
    return List.of(
        new BatchHost(
            "h1",
            "static",
            false,
            "Update",
            "waits",
            Optional.of("1"),
            Optional.of("1"),
            new DrainTerms(Duration.ofMinutes(30), LateDrain.UNSAID, List.of("web"), List.of()),
            LADDER,
            BatchHost.Known.NOTHING,
            Optional.of("it is broken")),
        new BatchHost(
            "h2",
            "static",
            true,
            "",
            "",
            Optional.empty(),
            Optional.empty(),
            new DrainTerms(Duration.ofMinutes(20), LateDrain.UNSAID, List.of("web"), List.of()),
            LADDER));
  }

  private List<BatchJob> jobs() {
    return List.of(
        new BatchJob(
            grant + ".Drain.h1.1",
            Step.DRAIN,
            "h1",
            1,
            1,
            "scheduler/static",
            JobStatus.CLAIMED,
            2,
            "",
            0,
            false,
            Optional.empty(),
            Optional.of(new BatchJob.DrainLeft(9, 2, 3, "shards", AT)),
            Map.of(),
            BatchJob.Told.NOTHING,
            AT,
            Optional.empty()),
        new BatchJob(
            grant + ".Cordon.h2.1",
            Step.CORDON,
            "h2",
            1,
            1,
            "scheduler/static",
            JobStatus.FAILED,
            1,
            "one is new",
            0,
            true,
            Optional.empty(),
            Optional.empty(),
            Map.of(),
            new BatchJob.Told(Optional.of(false), Optional.of(Mend.TIME), "placement"),
            AT,
            Optional.of(AT)),
        new BatchJob(
            grant + ".Hook.h1.2",
            Step.HOOK,
            "h1",
            2,
            1,
            "hook/move",
            JobStatus.WAITED,
            1,
            "later",
            1,
            false,
            Optional.empty(),
            Optional.empty(),
            Map.of(),
            BatchJob.Told.NOTHING,
            AT,
            Optional.of(AT)),
        new BatchJob(
            grant + ".Repair.h1.3",
            Step.REPAIR,
            "h1",
            3,
            2,
            "host/PackageUpdate",
            JobStatus.DONE,
            1,
            "disk full",
            0,
            false,
            Optional.of("Diagnose"),
            Optional.empty(),
            Map.of("diagnosis.signature", "disk-full"),
            BatchJob.Told.NOTHING,
            AT,
            Optional.of(AT)));
  }

  private List<BatchHook> hooks() {
    BatchHook.Source source = new BatchHook.Source("web", 3, "web-team");
    return List.of(
        new BatchHook(
            1,
            "move",
            Stage.BEFORE_UNDEPLOY,
            Scope.HOST,
            "h1",
            List.of("h1"),
            List.of("web@h1", "ads@h1"),
            7,
            source,
            Map.of("rate", "5"),
            Duration.ofMinutes(30),
            Optional.empty()),
        new BatchHook(
            2,
            "back",
            Stage.AFTER_DEPLOY,
            Scope.BATCH,
            grant,
            List.of("h1", "h2"),
            List.of("web@h1", "web@h2"),
            7,
            source,
            Map.of(),
            Duration.ofMinutes(1),
            Optional.of(1)));
  }

  private static List<Decision> decisions() {
    return List.of(
        new Decision(
            1,
            new Decision.BlockedBatch(false),
            "Update",
            List.of("a", "b"),
            Map.of("h1", "x", "h2", "y"),
            "x; and 1 other host",
            Optional.empty(),
            Optional.of(new Decision.Answer(Option.GO_ON, "ann", "known"))),
        new Decision(
            2,
            new Decision.BlockedBatch(true),
            "Health",
            List.of("c"),
            Map.of("h2", "z"),
            "z",
            Optional.empty(),
            Optional.empty()),
        new Decision(
            3,
            new Decision.LateDrain(Way.ASK, Decision.Pace.STUCK, 1),
            "Drain",
            List.of("d"),
            Map.of("h1", "late"),
            "late",
            Optional.of(new Decision.Patience(Duration.ofMinutes(10), AT, AT)),
            Optional.of(new Decision.Answer(Option.REQUEUE, "drydock", "nobody answered in time"))),
        approval(4, Rung.RETRY_STEP, Optional.of(new Decision.Answer(Option.REFUSE, "ann", ""))),
        approval(5, Rung.REIMAGE, Optional.empty()));
  }

  private static Decision approval(int number, Rung rung, Optional<Decision.Answer> answer) {
    return new Decision(
        number,
        new Decision.RepairApproval(rung, "disk full"),
        "Update",
        List.of(),
        Map.of("h1", "full"),
        "full",
        Optional.of(new Decision.Patience(Duration.ofHours(1), AT, AT)),
        answer);
  }

  private List<Remediation> remediations() {
    return List.of(
        new Remediation(
            "h2",
            Step.HEALTH,
            new Ladder(List.of(Rung.ROLL_BACK)),
            "unwell",
            Remediation.State.RESUMED,
            "RollBack helped",
            true,
            AT,
            Optional.of(AT),
            List.of()),
        new Remediation(
            "h1",
            Step.UPDATE,
            LADDER,
            "failed",
            Remediation.State.OPEN,
            "",
            false,
            AT.plusSeconds(1),
            Optional.empty(),
            List.of(
                new Taken(RepairAction.RETRY_STEP, OptionalInt.of(0), grant + ".Hook.h1.2"),
                new Taken(RepairAction.DIAGNOSE, OptionalInt.empty(), grant + ".Repair.h1.3"))));
  }
}
