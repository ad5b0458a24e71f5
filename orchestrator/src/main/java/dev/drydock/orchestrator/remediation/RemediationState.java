package dev.drydock.orchestrator.remediation;

/** Where a remediation is, as its row says. */
public enum RemediationState {
  /** Something is tried, or about to be; its batch waits. */
  Open,
  /** The step that failed has ended well. */
  Resumed,
  /** Nothing is left that may be tried. */
  Exhausted,
  /** Its host was taken out of the batch, or its batch does not go on. */
  Left
}
