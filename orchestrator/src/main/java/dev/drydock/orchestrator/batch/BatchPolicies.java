package dev.drydock.orchestrator.batch;

/** What batches ask of the policies of teams. Safe for use by many threads. */
@FunctionalInterface
public interface BatchPolicies {

  /** Reads the policies in force. To be called outside of transactions. */
  PoliciesInForce now();
}
