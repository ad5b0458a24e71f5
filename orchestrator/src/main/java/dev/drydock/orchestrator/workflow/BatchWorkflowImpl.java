package dev.drydock.orchestrator.workflow;

import dev.drydock.orchestrator.activity.BatchActivities;
import dev.drydock.orchestrator.activity.BatchRun;
import dev.drydock.orchestrator.activity.Phase;
import dev.drydock.orchestrator.activity.Progress;
import dev.drydock.orchestrator.activity.Progress.Status;
import dev.drydock.orchestrator.activity.Reached;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.util.Optional;

/**
 * Forward through the phases, or back.
 *
 * <ol>
 *   <li>Take the next run number: an earlier run has nothing to say any more.
 *   <li>Pursue the phases until one is not done at once. A phase that was done by an earlier run
 *       is. The stages of hooks are passed by where there are none.
 *   <li>Wait for a wake-up. A step that is done everywhere publishes the next by itself, so the
 *       batch is woken when there is something to be decided, and at the end.
 *   <li>Every host is on the release already: that is the end.
 *   <li>A check said no, or the hosts are as before the update: turn back, undo what was begun,
 *       verify the undo.
 *   <li>A host that can go neither on nor back, or that policies keep aside, is quarantined; the
 *       others go on.
 *   <li>An earlier run was lost: nothing goes forward any more. Hosts it had begun to update are
 *       read, and come back or are quarantined; the others go back.
 *   <li>Record the end, then end the hold.
 * </ol>
 */
public final class BatchWorkflowImpl implements BatchWorkflow {
  /** Safety net for a lost wake-up. */
  static final Duration LOOK_AGAIN = Duration.ofSeconds(20);

  /**
   * Batches begun before its first version have a task of Temporal for each step, those before its
   * second a step for each phase, until continued as new.
   */
  private static final String LOCAL_STEPS = "local-steps";

  /** Batches frozen before it say nothing of hooks, and go on without them. */
  private static final String HOOKS = "hooks";

  private BatchActivities activities =
      Workflow.newActivityStub(BatchActivities.class, ActivityTimes.options());

  private final Wakes wakes = new Wakes(LOOK_AGAIN);
  private boolean local;
  private boolean onward;
  private boolean hooked;

  @Override
  public void run(String grant) {
    int steps = Workflow.getVersion(LOCAL_STEPS, Workflow.DEFAULT_VERSION, 2);
    local = steps >= 1;
    onward = steps >= 2;
    if (local) {
      activities = Workflow.newLocalActivityStub(BatchActivities.class, ActivityTimes.local());
    }
    // The id of the first execution stays the same when this one is continued as new.
    BatchRun run = activities.begin(grant, Workflow.getInfo().getFirstExecutionRunId());
    if (!run.ended()) {
      work(run);
      activities.recordEnd(run);
    }
    activities.endHold(grant);
  }

  @Override
  public void wake(String cause) {
    wakes.wake();
  }

  private void work(BatchRun run) {
    if (run.undoing()) {
      undo(run);
      return;
    }
    if (run.reclaim()) {
      reclaim(run);
      return;
    }
    Optional<Phase> next = Optional.of(Phase.VERIFY);
    while (next.isPresent()) {
      Reached reached = settle(run, next.get());
      Progress progress = reached.progress();
      if (progress.status() == Status.NEEDLESS) {
        return;
      }
      if (turnsBack(reached)) {
        activities.turnBack(run, progress);
        undo(run);
        return;
      }
      if (quarantines(progress) && activities.quarantine(run, reached.phase()) == 0) {
        return;
      }
      next = reached.phase().next();
    }
  }

  private static boolean quarantines(Progress progress) {
    return progress.status() == Status.BROKEN || progress.status() == Status.ASIDE;
  }

  /**
   * Before the update every host can still be brought back, but for those the undo finds unknown.
   */
  private static boolean turnsBack(Reached reached) {
    Phase phase = reached.phase();
    return switch (reached.progress().status()) {
      case HELD, FAILED -> true;
      case BROKEN -> phase.compareTo(Phase.UPDATE) < 0;
      case DONE, NEEDLESS, ASIDE -> false;
      case WAITING -> throw new IllegalStateException(phase + " has not settled");
    };
  }

  private void reclaim(BatchRun run) {
    Progress progress = settle(run, Phase.RECLAIM).progress();
    while (quarantines(progress)) {
      if (activities.quarantine(run, Phase.RECLAIM) == 0) {
        return;
      }
      progress = settle(run, Phase.RECLAIM).progress();
    }
    if (progress.status() == Status.HELD) {
      activities.turnBack(run, progress);
      undo(run);
    }
  }

  private void undo(BatchRun run) {
    if (settle(run, Phase.UNDO).progress().status() == Status.BROKEN) {
      activities.quarantine(run, Phase.UNDO);
    }
  }

  /** From a phase on, until somebody has to decide or nothing follows. */
  private Reached settle(BatchRun run, Phase first) {
    Phase phase = first;
    while (true) {
      long seen = wakes.seen();
      Reached reached = look(run, phase);
      if (reached.progress().status() != Status.WAITING) {
        return reached;
      }
      phase = reached.phase();
      await(seen);
      if (Workflow.getInfo().isContinueAsNewSuggested()) {
        Workflow.continueAsNew(run.grant());
      }
    }
  }

  private Reached look(BatchRun run, Phase phase) {
    if (onward) {
      return activities.advance(run, phase);
    }
    if (phase.ofHooks() && !hooked) {
      return new Reached(phase, new Progress(Status.DONE, ""));
    }
    Progress progress = activities.pursue(run, phase);
    if (progress.hooked()) {
      // Asked only here: batches without hooks have nothing to mark, nor had those before.
      hooked = Workflow.getVersion(HOOKS, Workflow.DEFAULT_VERSION, 1) == 1;
    }
    return new Reached(phase, progress);
  }

  private void await(long seen) {
    if (local) {
      wakes.await(seen);
    } else {
      wakes.awaitEach(seen);
    }
  }
}
