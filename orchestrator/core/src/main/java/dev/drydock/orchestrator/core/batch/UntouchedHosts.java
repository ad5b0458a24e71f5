package dev.drydock.orchestrator.core.batch;

import dev.drydock.orchestrator.core.model.Job;
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
  static boolean began(Draft draft, String host) {
    int begun =
        draft
            .jobs(Step.UPDATE, host)
            .filter(job -> job.given() && !job.untouched())
            .mapToInt(Job::round)
            .max()
            .orElse(0);
    return begun > 0
        && draft
            .jobs(Step.VERIFY, host)
            .noneMatch(job -> job.round() > begun && saysUntouched(job));
  }

  /** Whether a consumer ended the job and says that nothing was begun. */
  static boolean saysUntouched(Job job) {
    return job.given() && job.untouched();
  }

  /** Whether a Drain ended because its time was over: policies say what becomes of its host. */
  static boolean late(Job job) {
    return job.step() == Step.DRAIN && job.told().cause().equals(NOT_DRAINED);
  }

  /** Whether the host was not drained in time, and nothing was begun on it. */
  static boolean lateUntouched(Draft draft, String host) {
    return draft.last(Step.DRAIN, host).filter(job -> late(job) && job.untouched()).isPresent();
  }

  /**
   * The job that ended badly on a host where no Update has begun: its Update, or its Health after
   * an Update that had nothing to do. The batch goes on without updating that host.
   */
  static Optional<Job> spared(Draft draft, String host) {
    Optional<Job> update = draft.last(Step.UPDATE, host).filter(UntouchedHosts::saysUntouched);
    if (update.isEmpty() || began(draft, host)) {
      return Optional.empty();
    }
    return update.get().done()
        ? draft.last(Step.HEALTH, host).filter(UntouchedHosts::endedBadly)
        : update;
  }

  private static boolean endedBadly(Job job) {
    return job.ended() && !job.done() && !job.unclaimed();
  }

  /** What ended badly on a host without anything begun, where only people can mend it. */
  static Optional<Job> refused(Draft draft, String host) {
    return spared(draft, host)
        .or(() -> draft.last(Step.DRAIN, host).filter(UntouchedHosts::saysUntouched))
        .or(() -> draft.last(Step.FREEZE, host).filter(UntouchedHosts::saysUntouched))
        .filter(job -> !job.done() && forPeople(job));
  }

  /**
   * Whether the last Update of the host began nothing for want of space. To make room is the one
   * thing that is tried on such a host: it removes only what policies call safe.
   */
  static boolean wantsSpace(Draft draft, String host) {
    return draft
        .last(Step.UPDATE, host)
        .filter(job -> saysUntouched(job) && !job.done() && job.told().cause().equals(NO_SPACE))
        .isPresent();
  }

  static boolean forPeople(Job job) {
    return job.told().mend().equals(Optional.of(Mend.PEOPLE));
  }

  /** Why a host on which nothing was begun goes back, as people read it. */
  static String says(Job job) {
    if (!job.given() || job.step() == Step.VERIFY) {
      return job.failure();
    }
    return job.message().startsWith(UNTOUCHED) ? job.message() : UNTOUCHED + job.failure();
  }
}
