package dev.drydock.orchestrator.core.batch;

import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.Step;
import java.util.Optional;

/**
 * Whether a host is known to be well since it was last changed. On the way forward no host is
 * recovered before that (I5).
 */
final class HealthSinceChange {
  private HealthSinceChange() {}

  /**
   * The last Health of a host since an Update or a Repair that changes it was given to anybody, or
   * still may be.
   */
  static Optional<BatchJob> of(SnapshotDraft snapshotDraft, String host) {
    int changed =
        snapshotDraft.jobs().stream()
            .filter(
                batchJob ->
                    batchJob.host().equals(host) && batchJob.givenOrOpen() && changes(batchJob))
            .mapToInt(BatchJob::round)
            .max()
            .orElse(0);
    return snapshotDraft.last(Step.HEALTH, host).filter(batchJob -> batchJob.round() > changed);
  }

  /** Whether it passed. */
  static boolean passed(SnapshotDraft snapshotDraft, String host) {
    return of(snapshotDraft, host).filter(BatchJob::done).isPresent();
  }

  private static boolean changes(BatchJob batchJob) {
    return batchJob.step() == Step.UPDATE
        || batchJob.repair().filter(action -> !RepairAction.reads(action)).isPresent();
  }
}
