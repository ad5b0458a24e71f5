package dev.drydock.orchestrator.core.batch;

import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.Mend;
import dev.drydock.orchestrator.core.model.Step;
import java.util.Optional;

/**
 * Decides whether anything was begun on a host, by what consumers say of it. A host on which
 * nothing was begun comes back to service: it is not repaired except by making room for its Update,
 * and not quarantined, unless policies or people say so of a host that is not drained in time.
 */
final class UntouchedHosts {
  private static final String UNTOUCHED = "not touched: ";

  /** What consumers call a drain whose time is over while work is left on the host. */
  private static final String NOT_DRAINED = "not-drained";

  /** What consumers call a want of space. */
  private static final String NO_SPACE = "space";

  private UntouchedHosts() {}

  /**
   * Whether an Update of the host may have begun: a consumer was given one and did not say that it
   * began nothing, nor did who read the host after it.
   */
  static boolean began(SnapshotDraft snapshotDraft, String host) {
    int begun =
        snapshotDraft
            .jobs(Step.UPDATE, host)
            .filter(batchJob -> batchJob.given() && !batchJob.untouched())
            .mapToInt(BatchJob::round)
            .max()
            .orElse(0);
    return begun > 0
        && snapshotDraft
            .jobs(Step.VERIFY, host)
            .noneMatch(batchJob -> batchJob.round() > begun && saysUntouched(batchJob));
  }

  /** Whether a consumer ended the job and says that nothing was begun. */
  static boolean saysUntouched(BatchJob batchJob) {
    return batchJob.given() && batchJob.untouched();
  }

  /** Whether a Drain ended because its time was over: policies say what becomes of its host. */
  static boolean late(BatchJob batchJob) {
    return batchJob.step() == Step.DRAIN && batchJob.told().cause().equals(NOT_DRAINED);
  }

  /** Whether the host was not drained in time, and nothing was begun on it. */
  static boolean lateUntouched(SnapshotDraft snapshotDraft, String host) {
    return snapshotDraft
        .last(Step.DRAIN, host)
        .filter(batchJob -> late(batchJob) && batchJob.untouched())
        .isPresent();
  }

  /**
   * The job that ended badly on a host where no Update has begun: its Update, or its Health after
   * an Update that had nothing to do. The batch goes on without updating that host.
   */
  static Optional<BatchJob> spared(SnapshotDraft snapshotDraft, String host) {
    Optional<BatchJob> update =
        snapshotDraft.last(Step.UPDATE, host).filter(UntouchedHosts::saysUntouched);
    if (update.isEmpty() || began(snapshotDraft, host)) {
      return Optional.empty();
    }
    return update.get().done()
        ? snapshotDraft.last(Step.HEALTH, host).filter(UntouchedHosts::endedBadly)
        : update;
  }

  private static boolean endedBadly(BatchJob batchJob) {
    return batchJob.ended() && !batchJob.done() && !batchJob.unclaimed();
  }

  /** What ended badly on a host without anything begun, where only people can mend it. */
  static Optional<BatchJob> refused(SnapshotDraft snapshotDraft, String host) {
    return spared(snapshotDraft, host)
        .or(() -> snapshotDraft.last(Step.DRAIN, host).filter(UntouchedHosts::saysUntouched))
        .or(() -> snapshotDraft.last(Step.CORDON, host).filter(UntouchedHosts::saysUntouched))
        .filter(batchJob -> !batchJob.done() && forPeople(batchJob));
  }

  /**
   * Whether the last Update of the host began nothing for want of space. To make room is the one
   * thing that is tried on such a host: it removes only what policies call safe.
   */
  static boolean wantsSpace(SnapshotDraft snapshotDraft, String host) {
    return snapshotDraft
        .last(Step.UPDATE, host)
        .filter(
            batchJob ->
                saysUntouched(batchJob)
                    && !batchJob.done()
                    && batchJob.told().cause().equals(NO_SPACE))
        .isPresent();
  }

  static boolean forPeople(BatchJob batchJob) {
    return batchJob.told().mend().equals(Optional.of(Mend.PEOPLE));
  }

  /** Why a host on which nothing was begun goes back, as people read it. */
  static String says(BatchJob batchJob) {
    if (!batchJob.given() || batchJob.step() == Step.VERIFY) {
      return batchJob.failure();
    }
    return batchJob.message().startsWith(UNTOUCHED)
        ? batchJob.message()
        : UNTOUCHED + batchJob.failure();
  }
}
