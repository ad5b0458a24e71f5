package dev.drydock.orchestrator.activity;

import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.jobs.JobRow;
import java.util.Optional;

/**
 * What becomes of one host whose batch lost its run, decided from what consumers were given. Pure.
 *
 * <p>Properties: no update is ever asked for; a host somebody was sent to update is read after that
 * and before anything else is asked for, and where rows do not tell whether somebody was, every
 * host is; whatever is not as it should be is left to people.
 */
sealed interface Reclaimed {

  /** Nobody was sent to update it: it goes back like any other. */
  record NotUpdated() implements Reclaimed {}

  /** Somebody still does to it what the lost run asked for. */
  record NotYet() implements Reclaimed {}

  /** This job tells or brings more; asked for again it is the same one while it has not ended. */
  record By(JobStep step) implements Reclaimed {}

  /** It is on the release, healthy, and back in service. */
  record Back() implements Reclaimed {}

  /** It can neither be left nor brought back. */
  record Impossible(String reason) implements Reclaimed {}

  /**
   * The last jobs of a host, the update being the last one anybody was given, and health judged
   * since the host was last changed.
   */
  record Jobs(
      Optional<JobRow> update,
      Optional<JobRow> repair,
      Optional<JobRow> verify,
      Optional<JobRow> health,
      Optional<JobRow> recover) {}

  /**
   * Decides.
   *
   * @param run number of the run that reclaims
   * @param blind whether the rows are older than what was done
   */
  static Reclaimed of(Jobs jobs, int run, boolean blind) {
    Optional<JobRow> update = jobs.update().filter(job -> job.attempt() > 0);
    if (update.isEmpty() && !blind) {
      return new NotUpdated();
    }
    boolean updates = update.isPresent() && !update.get().ended();
    if (updates || jobs.repair().filter(repair -> !repair.ended()).isPresent()) {
      return new NotYet();
    }
    int since = update.map(JobRow::round).orElse(0);
    Optional<JobRow> read =
        jobs.verify().filter(job -> job.round() > since && (!blind || job.run() == run));
    // Whoever has one of these would be refused by a host that was read meanwhile.
    if (read.isEmpty() && (claimed(jobs.health()) || claimed(jobs.recover()))) {
      return new NotYet();
    }
    return open(JobStep.Verify, read, run)
        .or(() -> open(JobStep.Health, jobs.health(), run))
        .or(() -> open(JobStep.Recover, jobs.recover(), run))
        .orElseGet(Back::new);
  }

  private static boolean claimed(Optional<JobRow> last) {
    return last.filter(job -> job.state() == JobState.Claimed).isPresent();
  }

  /** What is left of a step; empty once it is done. */
  private static Optional<Reclaimed> open(JobStep step, Optional<JobRow> last, int run) {
    if (last.isEmpty() || !last.get().ended()) {
      return Optional.of(new By(step));
    }
    JobRow job = last.get();
    if (job.state() == JobState.Done) {
      return Optional.empty();
    }
    return Optional.of(
        job.unanswered() && job.run() < run ? new By(step) : new Impossible(job.failure()));
  }
}
