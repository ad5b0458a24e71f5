package dev.drydock.orchestrator.batch;

import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.RepairLimits;
import org.jdbi.v3.core.Handle;

/** Reads everything that a decision about a batch reads. Thread-safe. */
public final class SnapshotReader {

  /**
   * Reads nothing yet.
   *
   * @param limits on all remediations together
   */
  public SnapshotReader(RepairLimits limits) {
    java.util.Objects.requireNonNull(limits);
  }

  /** Reads the batch of a grant whose lock the transaction of the handle holds. */
  public BatchSnapshot read(Handle handle, String grantId, PoliciesInForce policies) {
    throw new UnsupportedOperationException("grant " + grantId + " cannot be read yet");
  }
}
