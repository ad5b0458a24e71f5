package dev.drydock.orchestrator.workflow;

import dev.drydock.orchestrator.activity.RolloutActivities;
import io.temporal.workflow.Workflow;
import java.time.Duration;

/** Looks when woken or after a while, finishes when there is nothing left to wait for. */
public final class RolloutWorkflowImpl implements RolloutWorkflow {
  /** Safety net for a lost wake-up. */
  static final Duration LOOK_AGAIN = Duration.ofSeconds(30);

  private static final int LOOKS_PER_EXECUTION = 500;

  private final RolloutActivities activities =
      Workflow.newLocalActivityStub(RolloutActivities.class, ActivityTimes.local());

  private final WorkflowWakeups workflowWakeups = new WorkflowWakeups();

  @Override
  public void run(String rollout) {
    for (int look = 0; look < LOOKS_PER_EXECUTION; look++) {
      long seen = workflowWakeups.seen();
      if (activities.advance(rollout)) {
        return;
      }
      workflowWakeups.await(seen, LOOK_AGAIN);
    }
    Workflow.continueAsNew(rollout);
  }

  @Override
  public void wake(String cause) {
    workflowWakeups.wake();
  }
}
