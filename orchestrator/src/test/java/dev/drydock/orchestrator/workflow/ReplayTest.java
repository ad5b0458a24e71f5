package dev.drydock.orchestrator.workflow;

import dev.drydock.orchestrator.activity.BatchActivities;
import dev.drydock.orchestrator.batch.BatchRun;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Batches under way when a new version starts must go on: a recorded history is replayed. {@link
 * Histories} says how one is recorded.
 */
class ReplayTest {
  private static final String BATCH = "batch";

  @Test
  void aBatchUnderWayGoesOn() {
    if (Histories.toBeRecorded()) {
      try (Flow flow = new Flow()) {
        flow.run(new ScriptedBatch().rests(Duration.ofSeconds(20), Duration.ofSeconds(5)));
        Histories.record(BATCH, flow.history());
      }
    }
    Histories.assertReplays(BATCH, BatchWorkflowImpl.class);
  }

  /** The control. */
  @Test
  void aBatchThatEndsItsHoldFirstDoesNotReplay() {
    Histories.assertDoesNotReplay(BATCH, HoldFirst.class);
  }

  /** A batch as somebody might write it who is in a hurry. */
  public static final class HoldFirst implements BatchWorkflow {
    private final BatchActivities activities =
        Workflow.newLocalActivityStub(BatchActivities.class, ActivityTimes.local());

    @Override
    public void run(String grant) {
      BatchRun run = activities.begin(grant, Workflow.getInfo().getFirstExecutionRunId());
      activities.endHold(grant);
      while (!activities.drive(run).ended()) {
        Workflow.sleep(Duration.ofSeconds(20));
      }
    }

    @Override
    public void wake(String cause) {}
  }
}
