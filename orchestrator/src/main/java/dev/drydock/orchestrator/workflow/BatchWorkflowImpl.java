package dev.drydock.orchestrator.workflow;

import dev.drydock.orchestrator.activity.BatchActivities;
import dev.drydock.orchestrator.batch.BatchRun;
import dev.drydock.orchestrator.batch.DriveResult;
import io.temporal.workflow.Workflow;

/**
 * Drives a batch until it has ended.
 *
 * <ol>
 *   <li>Take the next run number: an earlier run has nothing to say any more.
 *   <li>Drive the batch as far as it can go now, and wait for a wake-up, or for a while.
 *   <li>Once the end of the batch is written, end its hold.
 * </ol>
 *
 * <p>Results, answers and verdicts move the batch themselves. It is woken where something has to be
 * done outside of PostgreSQL, or where nobody else could move it.
 */
public final class BatchWorkflowImpl implements BatchWorkflow {
  private final BatchActivities activities =
      Workflow.newLocalActivityStub(BatchActivities.class, ActivityTimes.local());

  private final WorkflowWakeups workflowWakeups = new WorkflowWakeups();

  @Override
  public void run(String grant) {
    // The id of the first execution stays the same when this one is continued as new.
    BatchRun run = activities.begin(grant, Workflow.getInfo().getFirstExecutionRunId());
    if (!run.ended()) {
      drive(run);
    }
    activities.endHold(grant);
  }

  @Override
  public void wake(String cause) {
    workflowWakeups.wake();
  }

  private void drive(BatchRun run) {
    while (true) {
      long seen = workflowWakeups.seen();
      DriveResult driveResult = activities.drive(run);
      if (driveResult.ended()) {
        return;
      }
      workflowWakeups.await(seen, driveResult.rest());
      if (Workflow.getInfo().isContinueAsNewSuggested()) {
        Workflow.continueAsNew(run.grant());
      }
    }
  }
}
