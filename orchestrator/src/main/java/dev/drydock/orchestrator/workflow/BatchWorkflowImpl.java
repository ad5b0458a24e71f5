package dev.drydock.orchestrator.workflow;

import dev.drydock.orchestrator.activity.BatchActivities;
import dev.drydock.orchestrator.activity.BatchRun;
import dev.drydock.orchestrator.activity.Phase;
import dev.drydock.orchestrator.activity.Progress;
import dev.drydock.orchestrator.activity.Progress.Status;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.time.Duration;

/**
 * Forward through the phases, or back.
 *
 * <ol>
 *   <li>Take the next run number: an earlier run has nothing to say any more.
 *   <li>Pursue each phase until it is done. A phase that was done by an earlier run is done at
 *       once.
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

  /** Batches begun before it have a task of Temporal for each step, until continued as new. */
  private static final String LOCAL_STEPS = "local-steps";

  private BatchActivities activities =
      Workflow.newActivityStub(BatchActivities.class, ActivityTimes.options());

  /** One for many wake-ups: starting and stopping it for each is work for Temporal. */
  private Promise<Void> lookAgain = Workflow.newPromise(null);

  private boolean local;
  private long wakeups;

  @Override
  public void run(String grant) {
    local = Workflow.getVersion(LOCAL_STEPS, Workflow.DEFAULT_VERSION, 1) == 1;
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
    wakeups++;
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
    for (Phase phase : Phase.forward()) {
      Progress progress = settle(run, phase);
      if (progress.status() == Status.NEEDLESS) {
        return;
      }
      if (turnsBack(phase, progress)) {
        activities.turnBack(run, progress);
        undo(run);
        return;
      }
      if (quarantines(progress) && activities.quarantine(run, phase) == 0) {
        return;
      }
    }
  }

  private static boolean quarantines(Progress progress) {
    return progress.status() == Status.BROKEN || progress.status() == Status.ASIDE;
  }

  /**
   * Before the update every host can still be brought back, but for those the undo finds unknown.
   */
  private static boolean turnsBack(Phase phase, Progress progress) {
    return switch (progress.status()) {
      case HELD, FAILED -> true;
      case BROKEN -> phase.compareTo(Phase.UPDATE) < 0;
      case DONE, NEEDLESS, ASIDE -> false;
      case WAITING -> throw new IllegalStateException(phase + " has not settled");
    };
  }

  private void reclaim(BatchRun run) {
    Progress progress = settle(run, Phase.RECLAIM);
    while (quarantines(progress)) {
      if (activities.quarantine(run, Phase.RECLAIM) == 0) {
        return;
      }
      progress = settle(run, Phase.RECLAIM);
    }
    if (progress.status() == Status.HELD) {
      activities.turnBack(run, progress);
      undo(run);
    }
  }

  private void undo(BatchRun run) {
    if (settle(run, Phase.UNDO).status() == Status.BROKEN) {
      activities.quarantine(run, Phase.UNDO);
    }
  }

  private Progress settle(BatchRun run, Phase phase) {
    while (true) {
      long seen = wakeups;
      Progress progress = activities.pursue(run, phase);
      if (progress.status() != Status.WAITING) {
        return progress;
      }
      await(seen);
      if (Workflow.getInfo().isContinueAsNewSuggested()) {
        Workflow.continueAsNew(run.grant());
      }
    }
  }

  private void await(long seen) {
    if (!local) {
      Workflow.await(LOOK_AGAIN, () -> wakeups != seen);
      return;
    }
    if (lookAgain.isCompleted()) {
      lookAgain = Workflow.newTimer(LOOK_AGAIN);
    }
    Workflow.await(() -> wakeups != seen || lookAgain.isCompleted());
  }
}
