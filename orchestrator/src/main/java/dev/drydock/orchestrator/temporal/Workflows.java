package dev.drydock.orchestrator.temporal;

import java.util.Optional;

/**
 * What the orchestrator needs of Temporal. Nothing here is ever believed about hosts: rows are the
 * truth.
 */
public interface Workflows {

  /** Starts {@code batch/GRANT} unless it runs; one that ended may be started again. */
  void startBatch(String grant);

  /** Starts {@code rollout/ROLLOUT} unless it runs. */
  void startRollout(String rollout);

  /**
   * Why no execution with this id runs now, in a word or two; empty when one runs. Asked by
   * describe on the id, never by listing.
   *
   * @throws NamespaceMissingException if Temporal does not know the namespace, and so no workflow
   */
  Optional<String> gone(String workflowId);

  /**
   * Wakes it.
   *
   * @return false when no execution with this id runs
   */
  boolean wake(String workflowId, String cause);
}
