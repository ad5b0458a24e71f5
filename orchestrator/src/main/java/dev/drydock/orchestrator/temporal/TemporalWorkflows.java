package dev.drydock.orchestrator.temporal;

import dev.drydock.orchestrator.store.WorkflowIds;
import dev.drydock.orchestrator.workflow.BatchWorkflow;
import dev.drydock.orchestrator.workflow.RolloutWorkflow;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.temporal.api.common.v1.WorkflowExecution;
import io.temporal.api.enums.v1.WorkflowExecutionStatus;
import io.temporal.api.enums.v1.WorkflowIdReusePolicy;
import io.temporal.api.errordetails.v1.NamespaceNotFoundFailure;
import io.temporal.api.workflowservice.v1.DescribeWorkflowExecutionRequest;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowExecutionAlreadyStarted;
import io.temporal.client.WorkflowNotFoundException;
import io.temporal.client.WorkflowOptions;
import io.temporal.serviceclient.StatusUtils;
import java.util.Optional;

/**
 * Workflows of one task queue in a Temporal namespace. Others may use the namespace too, who count
 * their grants as well: in Temporal every id begins with the name of the queue, so that a batch of
 * theirs is never taken for ours. Safe for use by many threads; every call has the client's
 * time-out.
 */
public final class TemporalWorkflows implements Workflows {
  private final WorkflowClient client;
  private final String taskQueue;

  public TemporalWorkflows(WorkflowClient client, String taskQueue) {
    this.client = client;
    this.taskQueue = taskQueue;
  }

  @Override
  public void startBatch(String grant) {
    BatchWorkflow workflow =
        client.newWorkflowStub(BatchWorkflow.class, options(WorkflowIds.batch(grant)));
    startOnce(() -> WorkflowClient.start(workflow::run, grant));
  }

  @Override
  public void startRollout(String rollout) {
    RolloutWorkflow workflow =
        client.newWorkflowStub(RolloutWorkflow.class, options(WorkflowIds.rollout(rollout)));
    startOnce(() -> WorkflowClient.start(workflow::run, rollout));
  }

  private static void startOnce(Runnable start) {
    try {
      start.run();
    } catch (WorkflowExecutionAlreadyStarted running) {
      // What was wanted is so: one execution runs.
      return;
    }
  }

  private WorkflowOptions options(String id) {
    return WorkflowOptions.newBuilder()
        .setWorkflowId(ofQueue(id))
        .setTaskQueue(taskQueue)
        .setWorkflowIdReusePolicy(WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE)
        .build();
  }

  @Override
  public Optional<String> gone(String workflowId) {
    DescribeWorkflowExecutionRequest request =
        DescribeWorkflowExecutionRequest.newBuilder()
            .setNamespace(client.getOptions().getNamespace())
            .setExecution(WorkflowExecution.newBuilder().setWorkflowId(ofQueue(workflowId)))
            .build();
    try {
      return word(
          client
              .getWorkflowServiceStubs()
              .blockingStub()
              .describeWorkflowExecution(request)
              .getWorkflowExecutionInfo()
              .getStatus());
    } catch (StatusRuntimeException failed) {
      requireNamespace(failed);
      if (failed.getStatus().getCode() == Status.Code.NOT_FOUND) {
        return Optional.of("missing");
      }
      throw failed;
    }
  }

  /** Temporal says of a namespace in the same words that something is not found. */
  private void requireNamespace(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof StatusRuntimeException status
          && StatusUtils.hasFailure(status, NamespaceNotFoundFailure.class)) {
        throw new NamespaceMissingException(client.getOptions().getNamespace(), failure);
      }
    }
  }

  private static Optional<String> word(WorkflowExecutionStatus status) {
    return switch (status) {
      case WORKFLOW_EXECUTION_STATUS_RUNNING -> Optional.empty();
      case WORKFLOW_EXECUTION_STATUS_COMPLETED -> Optional.of("completed");
      case WORKFLOW_EXECUTION_STATUS_TIMED_OUT -> Optional.of("timed out");
      case WORKFLOW_EXECUTION_STATUS_TERMINATED -> Optional.of("terminated");
      case WORKFLOW_EXECUTION_STATUS_CANCELED -> Optional.of("cancelled");
      case WORKFLOW_EXECUTION_STATUS_FAILED -> Optional.of("failed");
      // Continued as new is followed by one that runs; what is newer than this program is unknown.
      default -> throw new IllegalStateException("Temporal tells of a workflow that is " + status);
    };
  }

  @Override
  public boolean wake(String workflowId, String cause) {
    try {
      client.newUntypedWorkflowStub(ofQueue(workflowId)).signal("wake", cause);
      return true;
    } catch (WorkflowNotFoundException gone) {
      requireNamespace(gone);
      return false;
    }
  }

  private String ofQueue(String id) {
    return taskQueue + "/" + id;
  }
}
