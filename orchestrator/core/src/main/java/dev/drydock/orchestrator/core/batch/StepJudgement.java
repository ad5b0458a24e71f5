package dev.drydock.orchestrator.core.batch;

import dev.drydock.orchestrator.core.batch.Progress.Status;
import dev.drydock.orchestrator.core.model.Job;
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
  static Progress judge(Phase phase, List<Job> jobs, Predicate<String> began) {
    Optional<Job> open = jobs.stream().filter(job -> !job.ended()).findFirst();
    if (open.isPresent()) {
      return Progress.waiting(open.get().id());
    }
    Optional<Job> broken = jobs.stream().filter(job -> broken(phase, job, began)).findFirst();
    if (broken.isPresent()) {
      return new Progress(Status.BROKEN, broken.get().failure());
    }
    List<Job> undone = jobs.stream().filter(job -> !job.done()).toList();
    if (undone.isEmpty()) {
      return Progress.done();
    }
    Optional<Job> spared = undone.stream().filter(job -> spared(phase, job, began)).findFirst();
    if (spared.isPresent()) {
      boolean people =
          undone.size() == jobs.size() && undone.stream().allMatch(UntouchedHosts::forPeople);
      return new Progress(people ? Status.REFUSED : Status.HELD, UntouchedHosts.says(spared.get()));
    }
    return undone.stream()
        .filter(job -> !job.held())
        .findFirst()
        .map(job -> new Progress(Status.FAILED, job.failure()))
        .orElseGet(() -> new Progress(Status.HELD, undone.getFirst().failure()));
  }

  /** Whether the host of an ended job can neither go on nor back. */
  static boolean broken(Phase phase, Job job, Predicate<String> began) {
    if (job.done()) {
      return false;
    }
    return switch (phase) {
      // A hook says nothing about the host itself.
      case VERIFY, BEFORE_UNDEPLOY, AFTER_UNDEPLOY, BEFORE_DEPLOY, AFTER_DEPLOY -> false;
      case FREEZE, CONFIRM, OPEN, DRAIN -> job.lost();
      case UPDATE, HEALTH -> began.test(job.host());
      case RECOVER, UNDO, RECLAIM -> true;
    };
  }

  /** Whether the host of a job that ended badly has not failed: nothing was begun on it. */
  static boolean spared(Phase phase, Job job, Predicate<String> began) {
    if (job.done() || broken(phase, job, began)) {
      return false;
    }
    return switch (phase) {
      case VERIFY, UPDATE, HEALTH -> true;
      case BEFORE_UNDEPLOY, AFTER_UNDEPLOY, BEFORE_DEPLOY, AFTER_DEPLOY -> false;
      case FREEZE, CONFIRM, OPEN, DRAIN, RECOVER, UNDO, RECLAIM ->
          job.untouched() && job.status() != JobStatus.CANCELLED && !UntouchedHosts.late(job);
    };
  }
}
