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
      Workflow.newActivityStub(RolloutActivities.class, ActivityTimes.options());

  private long wakeups;

  @Override
  public void run(String rollout) {
    for (int look = 0; look < LOOKS_PER_EXECUTION; look++) {
      long seen = wakeups;
      if (activities.advance(rollout)) {
        return;
      }
      Workflow.await(LOOK_AGAIN, () -> wakeups != seen);
    }
    Workflow.continueAsNew(rollout);
  }

  @Override
  public void wake(String cause) {
    wakeups++;
  }
}
