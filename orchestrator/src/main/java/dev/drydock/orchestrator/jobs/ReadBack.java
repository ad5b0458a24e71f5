package dev.drydock.orchestrator.jobs;

import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobStep;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * The read at the end of Freeze and Recover. It counts as an observation of the source that owns
 * the host, so that the end of the hold can free budgets at once instead of waiting for the next
 * report (protocol P6).
 */
final class ReadBack {
  private ReadBack() {}

  /** What is wrong with the read of a result, if anything. */
  static Optional<String> fault(Handle handle, JobRow job, Report report) {
    if (job.step() != JobStep.Freeze && job.step() != JobStep.Recover) {
      return report.mark().isPresent()
          ? Optional.of("mark: only Freeze and Recover report instances, this is " + job.step())
          : Optional.empty();
    }
    if (report.mark().isPresent() && report.instances().isPresent()) {
      return markFault(handle, job, report.mark().get());
    }
    return report.outcome() == JobOutcome.Done || report.mark().isPresent()
        ? Optional.of("mark, instances: " + job.step() + " is done only with what was read back")
        : Optional.empty();
  }

  /** The mark must be newer than the claim, else the read may be older than the effect. */
  private static Optional<String> markFault(Handle handle, JobRow job, long mark) {
    boolean issued =
        handle
            .createQuery(
                """
                SELECT EXISTS (SELECT FROM marks m JOIN hosts h ON h.source = m.source
                               WHERE m.mark = :mark AND m.mark > :claimed AND h.name = :host)
                """)
            .bind("mark", mark)
            .bind("claimed", job.claimMark())
            .bind("host", job.host())
            .mapTo(Boolean.class)
            .one();
    return issued
        ? Optional.empty()
        : Optional.of(
            "mark: "
                + mark
                + " was not issued to the source of "
                + job.host()
                + " after this claim; fetch one after the last effect, then read");
  }
}
