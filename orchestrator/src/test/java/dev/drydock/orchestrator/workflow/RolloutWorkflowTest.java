package dev.drydock.orchestrator.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.activity.RolloutActivities;
import io.temporal.client.WorkflowOptions;
import io.temporal.testing.TestWorkflowEnvironment;
import io.temporal.worker.Worker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A rollout's workflow looks until there is nothing left to wait for, woken or not. */
@Timeout(60)
class RolloutWorkflowTest {

  @Test
  void looksAgainUntilTheRolloutIsFinishedAcrossExecutions() {
    AtomicInteger looks = new AtomicInteger();
    // More than one execution makes: it has to continue as new.
    int needed = 505;
    RolloutActivities rollout = id -> looks.incrementAndGet() >= needed;
    try (TestWorkflowEnvironment temporal = TestWorkflowEnvironment.newInstance()) {
      Worker worker = temporal.newWorker("drydock");
      worker.registerWorkflowImplementationTypes(RolloutWorkflowImpl.class);
      worker.registerActivitiesImplementations(rollout);
      temporal.start();
      long before = temporal.currentTimeMillis();
      temporal
          .getWorkflowClient()
          .newWorkflowStub(
              RolloutWorkflow.class,
              WorkflowOptions.newBuilder()
                  .setWorkflowId("rollout/r1")
                  .setTaskQueue("drydock")
                  .build())
          .run("r1");
      assertThat(looks).hasValue(needed);
      assertThat(Duration.ofMillis(temporal.currentTimeMillis() - before))
          .isGreaterThanOrEqualTo(RolloutWorkflowImpl.LOOK_AGAIN.multipliedBy(needed - 2));
    }
  }
}
