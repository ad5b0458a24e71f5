package dev.drydock.orchestrator.workflow;

import io.temporal.workflow.SignalMethod;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;

/**
 * Watches one rollout and finishes it when its last host came to an end. Its id is {@code
 * rollout/ROLLOUT}. It holds nothing about hosts: batches are granted without it.
 */
@WorkflowInterface
public interface RolloutWorkflow {

  /** Returns when the rollout is finished. */
  @WorkflowMethod
  void run(String rollout);

  /** A host of this rollout came to an end. A signal, because nobody waits for an answer. */
  @SignalMethod
  void wake(String cause);
}
