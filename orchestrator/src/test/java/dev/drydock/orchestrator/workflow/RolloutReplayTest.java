package dev.drydock.orchestrator.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.activity.RolloutActivities;
import io.temporal.client.WorkflowOptions;
import io.temporal.testing.TestWorkflowEnvironment;
import io.temporal.worker.Worker;
import io.temporal.workflow.Workflow;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Rollouts under way when a new version starts must go on: a recorded history is replayed. {@link
 * Histories} says how one is recorded.
 */
class RolloutReplayTest {
  private static final String ROLLOUT = "rollout";
  private static final String ID = "rollout/r1";
  private static final int LOOKS = 3;

  @Test
  void aRolloutUnderWayGoesOn() {
    if (Histories.toBeRecorded()) {
      record();
    }
    Histories.assertReplays(ROLLOUT, RolloutWorkflowImpl.class);
  }

  /** The control. */
  @Test
  void aRolloutThatDoesNotRestBetweenItsLooksDoesNotReplay() {
    Histories.assertDoesNotReplay(ROLLOUT, WithoutRest.class);
  }

  /** Nobody wakes it: it looks again by itself until the rollout is finished. */
  private static void record() {
    AtomicInteger looks = new AtomicInteger();
    try (TestWorkflowEnvironment temporal = TestWorkflowEnvironment.newInstance()) {
      Worker worker = temporal.newWorker("test");
      worker.registerWorkflowImplementationTypes(RolloutWorkflowImpl.class);
      worker.registerActivitiesImplementations(
          (RolloutActivities) rollout -> looks.incrementAndGet() == LOOKS);
      temporal.start();
      temporal
          .getWorkflowClient()
          .newWorkflowStub(
              RolloutWorkflow.class,
              WorkflowOptions.newBuilder().setWorkflowId(ID).setTaskQueue("test").build())
          .run("r1");
      Histories.record(ROLLOUT, temporal.getWorkflowClient().fetchHistory(ID));
    }
    assertThat(looks).hasValue(LOOKS);
  }

  /** A rollout as somebody might write it who is in a hurry. */
  public static final class WithoutRest implements RolloutWorkflow {
    private final RolloutActivities activities =
        Workflow.newLocalActivityStub(RolloutActivities.class, ActivityTimes.local());

    @Override
    public void run(String rollout) {
      boolean ended = false;
      while (!ended) {
        ended = activities.advance(rollout);
      }
    }

    @Override
    public void wake(String cause) {}
  }
}
