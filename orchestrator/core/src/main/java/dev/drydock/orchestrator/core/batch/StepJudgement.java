package dev.drydock.orchestrator.core.batch;

import dev.drydock.orchestrator.core.batch.PhaseProgress.Status;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Phase;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Judges a phase from the last rounds of its jobs.
 *
 * <ol>
 *   <li>A job that has not ended: the phase waits, so that a batch never splits while something
 *       runs.
 *   <li>A Verify changes nothing, so whatever came of it, its host is as it was, and waits again.
 *   <li>Before the update, a host that is not done can be brought back unless its state is unknown.
 *       It is known where nothing was begun.
 *   <li>From the update on, a host is broken that is not done and on which something was begun. One
 *       on which nothing was begun is as it was. On the way back every host that is not done is
 *       broken.
 *   <li>Hosts that nobody was sent to, or on which nothing was begun, have not failed: their batch
 *       goes back to try again, and so it does for passing objections of the board. It is refused
 *       where only people can mend what keeps each of its hosts.
 * </ol>
 */
final class StepJudgement {
  private StepJudgement() {}

  /**
   * Judges the phase.
   *
   * @param began whether an Update of a host may have begun; asked from the update on
   */
  static PhaseProgress judge(Phase phase, List<BatchJob> jobs, Predicate<String> began) {
    Optional<BatchJob> open = jobs.stream().filter(batchJob -> !batchJob.ended()).findFirst();
    if (open.isPresent()) {
      return PhaseProgress.waiting(open.get().id());
    }
    Optional<BatchJob> broken =
        jobs.stream().filter(batchJob -> broken(phase, batchJob, began)).findFirst();
    if (broken.isPresent()) {
      return new PhaseProgress(Status.BROKEN, broken.get().failure());
    }
    List<BatchJob> undone = jobs.stream().filter(batchJob -> !batchJob.done()).toList();
    if (undone.isEmpty()) {
      return PhaseProgress.done();
    }
    Optional<BatchJob> spared =
        undone.stream().filter(batchJob -> spared(phase, batchJob, began)).findFirst();
    if (spared.isPresent()) {
      boolean people =
          undone.size() == jobs.size() && undone.stream().allMatch(UntouchedHosts::forPeople);
      return new PhaseProgress(
          people ? Status.REFUSED : Status.REQUEUED, UntouchedHosts.says(spared.get()));
    }
    return undone.stream()
        .filter(batchJob -> !batchJob.held())
        .findFirst()
        .map(batchJob -> new PhaseProgress(Status.FAILED, batchJob.failure()))
        .orElseGet(() -> new PhaseProgress(Status.REQUEUED, undone.getFirst().failure()));
  }

  /** Whether the host of an ended job can neither go on nor back. */
  static boolean broken(Phase phase, BatchJob batchJob, Predicate<String> began) {
    if (batchJob.done()) {
      return false;
    }
    return switch (phase) {
      // A hook says nothing about the host itself.
      case VERIFY, BEFORE_UNDEPLOY, AFTER_UNDEPLOY, BEFORE_DEPLOY, AFTER_DEPLOY -> false;
      case CORDON, CONFIRM, OPEN, DRAIN -> batchJob.lost();
      case UPDATE, HEALTH -> began.test(batchJob.host());
      case RECOVER, UNDO, RECLAIM -> true;
    };
  }

  /** Whether the host of a job that ended badly has not failed: nothing was begun on it. */
  static boolean spared(Phase phase, BatchJob batchJob, Predicate<String> began) {
    if (batchJob.done() || broken(phase, batchJob, began)) {
      return false;
    }
    return switch (phase) {
      case VERIFY, UPDATE, HEALTH -> true;
      case BEFORE_UNDEPLOY, AFTER_UNDEPLOY, BEFORE_DEPLOY, AFTER_DEPLOY -> false;
      case CORDON, CONFIRM, OPEN, DRAIN, RECOVER, UNDO, RECLAIM ->
          batchJob.untouched()
              && batchJob.status() != JobStatus.CANCELLED
              && !UntouchedHosts.late(batchJob);
    };
  }
}
