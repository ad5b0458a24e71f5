package dev.drydock.orchestrator.store;

import org.jdbi.v3.core.Handle;

/**
 * Moves batches on at once when something that they waited for has happened: a job ended, a check
 * was decided, a question was answered, or their rollout was aborted. Thread-safe.
 */
@FunctionalInterface
public interface BatchAdvancer {
  /** Moves no batch: its workflow is woken each time. */
  BatchAdvancer NOTHING =
      () -> (handle, grant, cause) -> Wakeups.add(handle, WorkflowIds.batch(grant), cause);

  /** Reads what policies say now. To be called before the transaction that changes something. */
  Move ready();

  /** Moves batches by the policies that were read. */
  @FunctionalInterface
  interface Move {

    /**
     * Moves a batch as far as it can go now, inside the transaction that changed something of it.
     * It never fails that transaction. The lock of the grant is taken unless the transaction has
     * it.
     *
     * @param cause what happened, for the workflow if it has to be woken
     */
    void moved(Handle handle, String grant, String cause);
  }
}
