package dev.drydock.orchestrator.temporal;

import com.google.protobuf.util.Durations;
import dev.drydock.orchestrator.activity.BatchActivities;
import dev.drydock.orchestrator.activity.RolloutActivities;
import dev.drydock.orchestrator.workflow.BatchWorkflowImpl;
import dev.drydock.orchestrator.workflow.RolloutWorkflowImpl;
import dev.drydock.platform.config.ServerConfig;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.temporal.api.enums.v1.TaskQueueType;
import io.temporal.api.taskqueue.v1.TaskQueue;
import io.temporal.api.workflowservice.v1.DescribeTaskQueueRequest;
import io.temporal.api.workflowservice.v1.RegisterNamespaceRequest;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowClientOptions;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import io.temporal.worker.Worker;
import io.temporal.worker.WorkerFactory;
import io.temporal.worker.WorkerFactoryOptions;
import io.temporal.worker.WorkerOptions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Client and worker in one Temporal namespace. Connecting is lazy: Temporal may come up later than
 * this process, and may go away for a while. Safe for use by many threads.
 */
public final class TemporalConnection implements AutoCloseable {
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration RETENTION = Duration.ofDays(3);
  // Each takes a connection of the pool, which other work needs as well.
  private static final int ACTIVITIES_MAX = 10;
  // A task that no poll waits for is written down and read again, which costs Temporal twice.
  private static final int WORKFLOW_POLLS = 20;
  // How long a workflow waits for the process that knew it, which may be dead.
  private static final Duration STICKY = Duration.ofSeconds(2);
  private static final long STOP_SECONDS = 5;
  // A small machine may keep a workflow thread off the processor for longer than the default
  // second.
  private static final long DEADLOCK_MILLIS = 10_000;

  private final ServerConfig.Temporal config;
  private final WorkflowServiceStubs stubs;
  private final WorkflowClient client;
  private final WorkerFactory factory;

  public TemporalConnection(ServerConfig.Temporal config) {
    this.config = config;
    this.stubs =
        WorkflowServiceStubs.newServiceStubs(
            WorkflowServiceStubsOptions.newBuilder()
                .setTarget(config.target())
                .setRpcTimeout(CALL_TIMEOUT)
                .build());
    this.client =
        WorkflowClient.newInstance(
            stubs, WorkflowClientOptions.newBuilder().setNamespace(config.namespace()).build());
    this.factory =
        WorkerFactory.newInstance(
            client, WorkerFactoryOptions.newBuilder().setUsingVirtualWorkflowThreads(true).build());
  }

  public Workflows workflows() {
    return new TemporalWorkflows(client, config.taskQueue());
  }

  /**
   * Makes the namespace if it is missing.
   *
   * @return whether it can be used; a new one takes some seconds
   * @throws StatusRuntimeException if Temporal does not answer
   */
  public boolean namespaceReady() {
    try {
      // Unlike describing the namespace, this fails until the server's caches know it.
      stubs
          .blockingStub()
          .describeTaskQueue(
              DescribeTaskQueueRequest.newBuilder()
                  .setNamespace(config.namespace())
                  .setTaskQueue(TaskQueue.newBuilder().setName(config.taskQueue()))
                  .setTaskQueueType(TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW)
                  .build());
      return true;
    } catch (StatusRuntimeException failed) {
      if (failed.getStatus().getCode() != Status.Code.NOT_FOUND) {
        throw failed;
      }
      register();
      return false;
    }
  }

  private void register() {
    try {
      stubs
          .blockingStub()
          .registerNamespace(
              RegisterNamespaceRequest.newBuilder()
                  .setNamespace(config.namespace())
                  .setWorkflowExecutionRetentionPeriod(Durations.fromSeconds(RETENTION.toSeconds()))
                  .build());
    } catch (StatusRuntimeException failed) {
      if (failed.getStatus().getCode() != Status.Code.ALREADY_EXISTS) {
        throw failed;
      }
    }
  }

  /** Begins to work; the namespace must be ready. */
  public void startWorker(BatchActivities batches, RolloutActivities rollouts) {
    Worker worker =
        factory.newWorker(
            config.taskQueue(),
            WorkerOptions.newBuilder()
                .setUsingVirtualThreads(true)
                .setStickyQueueScheduleToStartTimeout(STICKY)
                .setMaxConcurrentWorkflowTaskPollers(WORKFLOW_POLLS)
                .setMaxConcurrentActivityExecutionSize(ACTIVITIES_MAX)
                .setMaxConcurrentLocalActivityExecutionSize(ACTIVITIES_MAX)
                .setDefaultDeadlockDetectionTimeout(DEADLOCK_MILLIS)
                .build());
    worker.registerWorkflowImplementationTypes(BatchWorkflowImpl.class, RolloutWorkflowImpl.class);
    worker.registerActivitiesImplementations(batches, rollouts);
    factory.start();
  }

  @Override
  public void close() {
    factory.shutdown();
    factory.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
    stubs.shutdownNow();
    stubs.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
  }
}
