package dev.drydock.orchestrator.core.batch;

import dev.drydock.orchestrator.core.model.Job;
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
  static Optional<Job> of(Draft draft, String host) {
    int changed =
        draft.jobs().stream()
            .filter(job -> job.host().equals(host) && job.givenOrOpen() && changes(job))
            .mapToInt(Job::round)
            .max()
            .orElse(0);
    return draft.last(Step.HEALTH, host).filter(job -> job.round() > changed);
  }

  /** Whether it passed. */
  static boolean passed(Draft draft, String host) {
    return of(draft, host).filter(Job::done).isPresent();
  }

  private static boolean changes(Job job) {
    return job.step() == Step.UPDATE
        || job.repair().filter(action -> !RepairAction.reads(action)).isPresent();
  }
}
