package dev.drydock.orchestrator.workflow;

import dev.drydock.orchestrator.activity.RolloutActivities;
import io.temporal.workflow.Workflow;
import java.time.Duration;

/** Looks when woken or after a while, finishes when there is nothing left to wait for. */
public final class RolloutWorkflowImpl implements RolloutWorkflow {
  /** Safety net for a lost wake-up. */
  static final Duration LOOK_AGAIN = Duration.ofSeconds(30);

  /** Executions begun before it have a task of Temporal for each look. */
  private static final String LOCAL_LOOKS = "local-looks";

  private static final int LOOKS_PER_EXECUTION = 500;

  private final Wakes wakes = new Wakes(LOOK_AGAIN);

  @Override
  public void run(String rollout) {
    boolean local = Workflow.getVersion(LOCAL_LOOKS, Workflow.DEFAULT_VERSION, 1) == 1;
    RolloutActivities activities =
        local
            ? Workflow.newLocalActivityStub(RolloutActivities.class, ActivityTimes.local())
            : Workflow.newActivityStub(RolloutActivities.class, ActivityTimes.options());
    for (int look = 0; look < LOOKS_PER_EXECUTION; look++) {
      long seen = wakes.seen();
      if (activities.advance(rollout)) {
        return;
      }
      if (local) {
        wakes.await(seen);
      } else {
        wakes.awaitEach(seen);
      }
    }
    Workflow.continueAsNew(rollout);
  }

  @Override
  public void wake(String cause) {
    wakes.wake();
  }
}
