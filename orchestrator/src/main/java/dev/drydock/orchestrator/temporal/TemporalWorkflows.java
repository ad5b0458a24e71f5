package dev.drydock.orchestrator.temporal;

import dev.drydock.orchestrator.store.WorkflowIds;
import dev.drydock.orchestrator.workflow.BatchWorkflow;
import dev.drydock.orchestrator.workflow.RemediationWorkflow;
import dev.drydock.orchestrator.workflow.RolloutWorkflow;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.temporal.api.common.v1.WorkflowExecution;
import io.temporal.api.enums.v1.WorkflowExecutionStatus;
import io.temporal.api.enums.v1.WorkflowIdReusePolicy;
import io.temporal.api.workflowservice.v1.DescribeWorkflowExecutionRequest;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowExecutionAlreadyStarted;
import io.temporal.client.WorkflowNotFoundException;
import io.temporal.client.WorkflowOptions;

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

  @Override
  public void startRemediation(String grant, String host) {
    RemediationWorkflow workflow =
        client.newWorkflowStub(
            RemediationWorkflow.class, options(WorkflowIds.remediation(grant, host)));
    startOnce(() -> WorkflowClient.start(workflow::run, grant, host));
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
  public boolean runs(String workflowId) {
    DescribeWorkflowExecutionRequest request =
        DescribeWorkflowExecutionRequest.newBuilder()
            .setNamespace(client.getOptions().getNamespace())
            .setExecution(WorkflowExecution.newBuilder().setWorkflowId(ofQueue(workflowId)))
            .build();
    try {
      return client
              .getWorkflowServiceStubs()
              .blockingStub()
              .describeWorkflowExecution(request)
              .getWorkflowExecutionInfo()
              .getStatus()
          == WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING;
    } catch (StatusRuntimeException failed) {
      if (failed.getStatus().getCode() == Status.Code.NOT_FOUND) {
        return false;
      }
      throw failed;
    }
  }

  @Override
  public boolean wake(String workflowId, String cause) {
    try {
      client.newUntypedWorkflowStub(ofQueue(workflowId)).signal("wake", cause);
      return true;
    } catch (WorkflowNotFoundException gone) {
      return false;
    }
  }

  private String ofQueue(String id) {
    return taskQueue + "/" + id;
  }
}
