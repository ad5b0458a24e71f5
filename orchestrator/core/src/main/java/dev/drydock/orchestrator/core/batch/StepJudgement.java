package dev.drydock.orchestrator.core.batch;

import dev.drydock.orchestrator.core.batch.Progress.Status;
import dev.drydock.orchestrator.core.model.Job;
import dev.drydock.orchestrator.core.model.Phase;
import java.util.List;
import java.util.Optional;

/**
 * Judges a phase from the last rounds of its jobs.
 *
 * <ol>
 *   <li>A job that has not ended: the phase waits, so that a batch never splits while something
 *       runs.
 *   <li>A Verify changes nothing, so whatever came of it, its host is as it was.
 *   <li>Before the update, a host that is not done can be brought back unless its state is unknown.
 *   <li>An update that nobody began on any host, in whatever round, can be brought back as well.
 *   <li>A batch that only passing objections of the board keep goes back to try again.
 *   <li>From then on, and on the way back, a host that is not done is broken.
 * </ol>
 */
final class StepJudgement {
  private StepJudgement() {}

  /**
   * Judges the phase.
   *
   * @param begun whether an earlier round than these was given to anybody; only an update asks
   */
  static Progress judge(Phase phase, List<Job> jobs, boolean begun) {
    Optional<Job> open = jobs.stream().filter(job -> !job.ended()).findFirst();
    if (open.isPresent()) {
      return Progress.waiting(open.get().id());
    }
    Optional<Job> broken = jobs.stream().filter(job -> broken(phase, job, jobs, begun)).findFirst();
    if (broken.isPresent()) {
      return new Progress(Status.BROKEN, broken.get().failure());
    }
    List<Job> undone = jobs.stream().filter(job -> !job.done()).toList();
    if (undone.isEmpty()) {
      return Progress.done();
    }
    return undone.stream()
        .filter(job -> !job.held())
        .findFirst()
        .map(job -> new Progress(Status.FAILED, job.failure()))
        .orElseGet(() -> new Progress(Status.HELD, undone.getFirst().failure()));
  }

  /** Whether the host of an ended job can neither go on nor back. */
  static boolean broken(Phase phase, Job job, List<Job> all, boolean begun) {
    if (job.done()) {
      return false;
    }
    return switch (phase) {
      // A hook says nothing about the host itself.
      case VERIFY, BEFORE_UNDEPLOY, AFTER_UNDEPLOY, BEFORE_DEPLOY, AFTER_DEPLOY -> false;
      case FREEZE, CONFIRM, OPEN, DRAIN -> job.lost();
      case UPDATE -> begun || !all.stream().allMatch(Job::endedUntouched);
      case HEALTH, RECOVER, UNDO, RECLAIM -> true;
    };
  }
}
