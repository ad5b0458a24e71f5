package dev.drydock.orchestrator.workflow;

import io.temporal.workflow.SignalMethod;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;

/**
 * Tries on one host what its policies say before it is quarantined. Its id is {@code
 * remediation/GRANT/HOST}. Its batch does not wait for it but for the row it ends.
 */
@WorkflowInterface
public interface RemediationWorkflow {

  /** Returns when nothing is left to be tried, or nothing needs to be. */
  @WorkflowMethod
  void run(String grant, String host);

  /** One of its jobs ended. A signal, because nobody waits for an answer. */
  @SignalMethod
  void wake(String cause);
}
