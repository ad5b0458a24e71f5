package dev.drydock.orchestrator.activity;

import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.jobs.JobRow;
import java.util.Optional;
import java.util.function.Predicate;

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

  /** Somebody has a job of it. */
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
   *
   * @param held whether somebody has any of its jobs
   */
  record Jobs(
      boolean held,
      Optional<JobRow> update,
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
    // A host that was read refuses whoever was given something before.
    if (jobs.held()) {
      return new NotYet();
    }
    int since = update.map(JobRow::round).orElse(0);
    Predicate<JobRow> told = job -> !blind || job.run() == run;
    Optional<JobRow> read = jobs.verify().filter(told).filter(job -> job.round() > since);
    return open(JobStep.Verify, read, run)
        .or(() -> open(JobStep.Health, jobs.health().filter(told), run))
        .or(() -> open(JobStep.Recover, jobs.recover().filter(told), run))
        .orElseGet(Back::new);
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
