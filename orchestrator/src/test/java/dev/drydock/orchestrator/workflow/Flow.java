package dev.drydock.orchestrator.workflow;

import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.WorkflowStub;
import io.temporal.common.WorkflowExecutionHistory;
import io.temporal.testing.TestEnvironmentOptions;
import io.temporal.testing.TestWorkflowEnvironment;
import io.temporal.worker.Worker;
import io.temporal.worker.WorkerFactoryOptions;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs batches on a Temporal in memory that skips waits. Nothing is cached between workflow tasks,
 * so that each goes on from the history alone, as after the death of its worker.
 */
final class Flow implements AutoCloseable {
  private static final String QUEUE = "drydock";
  private static final String ID = "batch/g1";

  private final TestWorkflowEnvironment temporal =
      TestWorkflowEnvironment.newInstance(
          TestEnvironmentOptions.newBuilder()
              .setWorkerFactoryOptions(
                  WorkerFactoryOptions.newBuilder().setWorkflowCacheSize(0).build())
              .build());

  /** Starts the batch of grant g1. */
  BatchWorkflow start(ScriptedBatch batch) {
    Worker worker = temporal.newWorker(QUEUE);
    worker.registerWorkflowImplementationTypes(BatchWorkflowImpl.class);
    worker.registerActivitiesImplementations(batch);
    temporal.start();
    BatchWorkflow workflow =
        temporal
            .getWorkflowClient()
            .newWorkflowStub(
                BatchWorkflow.class,
                WorkflowOptions.newBuilder().setWorkflowId(ID).setTaskQueue(QUEUE).build());
    WorkflowClient.start(workflow::run, "g1");
    return workflow;
  }

  /** The batch of grant g1, once it was started. */
  BatchWorkflow batch() {
    return temporal.getWorkflowClient().newWorkflowStub(BatchWorkflow.class, ID);
  }

  /** Runs the batch of grant g1 to its end. */
  void run(ScriptedBatch batch) {
    try {
      WorkflowStub.fromTyped(start(batch)).getResult(90, TimeUnit.SECONDS, Void.class);
    } catch (TimeoutException late) {
      throw new AssertionError("the batch did not end; it asked " + batch.asked(), late);
    }
  }

  /** What Temporal wrote down of it. */
  WorkflowExecutionHistory history() {
    return temporal.getWorkflowClient().fetchHistory(ID);
  }

  /** How many events that has. */
  int events() {
    return history().getEvents().size();
  }

  /** The time, which runs ahead while everybody waits. */
  long now() {
    return temporal.currentTimeMillis();
  }

  @Override
  public void close() {
    temporal.close();
  }
}
