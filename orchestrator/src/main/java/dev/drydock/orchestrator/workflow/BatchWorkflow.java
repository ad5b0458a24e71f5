package dev.drydock.orchestrator.workflow;

import io.temporal.workflow.SignalMethod;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;

/**
 * Brings the hosts of one grant through the phases, and ends its hold. Its id is {@code
 * batch/GRANT}. Started again after any loss, it goes on where the rows say it is.
 */
@WorkflowInterface
public interface BatchWorkflow {

  /** Returns when the end of the grant is recorded and its hold is gone, but for quarantines. */
  @WorkflowMethod
  void run(String grant);

  /**
   * Something of this batch is left to its workflow. A signal, because nobody waits for an answer.
   */
  @SignalMethod
  void wake(String cause);
}
