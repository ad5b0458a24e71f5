package dev.drydock.orchestrator.jobs;

import dev.drydock.api.InstanceReport;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobStep;
import dev.drydock.impact.core.FleetInstance;
import dev.drydock.platform.store.Sql;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * The read at the end of Cordon and Recover, which need one, and of Uncordon, which may have one.
 * It counts as an observation of the source that owns the host, so that the end of the hold can
 * free budgets at once instead of waiting for the next report (protocol P6).
 */
final class ReadBack {
  private ReadBack() {}

  /** What is wrong with the read of a result, if anything. */
  static Optional<String> fault(Handle handle, JobRow job, JobReport jobReport) {
    if (jobReport.answer().isPresent()) {
      return Optional.of("answer: only an Approve is answered, this is " + job.step());
    }
    if (jobReport.left().isPresent() && job.step() != JobStep.Drain) {
      return Optional.of("left: only a Drain leaves something, this is " + job.step());
    }
    boolean needed = job.step() == JobStep.Cordon || job.step() == JobStep.Recover;
    if (!needed && job.step() != JobStep.Uncordon) {
      return jobReport.mark().isPresent()
          ? Optional.of(
              "mark: only Cordon, Recover and Uncordon report instances, this is " + job.step())
          : Optional.empty();
    }
    if (jobReport.mark().isPresent() && jobReport.instances().isPresent()) {
      Optional<InstanceReport> stranger =
          jobReport.instances().get().stream()
              .filter(instance -> !instance.getHost().equals(job.host()))
              .findFirst();
      if (stranger.isPresent()) {
        return Optional.of(
            "instances: "
                + stranger.get().getId()
                + " is not on "
                + job.host()
                + ", the job's host");
      }
      return capacityFault(jobReport.instances().get())
          .or(() -> markFault(handle, job, jobReport.mark().get()));
    }
    return (needed && jobReport.outcome() == JobOutcome.Done) || jobReport.mark().isPresent()
        ? Optional.of("mark, instances: " + job.step() + " is done only with what was read back")
        : Optional.empty();
  }

  private static Optional<String> capacityFault(List<InstanceReport> instances) {
    return instances.stream()
        .filter(one -> one.getCapacity() < 1 || one.getCapacity() > FleetInstance.CAPACITY_MAX)
        .map(
            one ->
                "instances: the capacity of %s is %d, must be from 1 to %d units"
                    .formatted(one.getId(), one.getCapacity(), FleetInstance.CAPACITY_MAX))
        .findFirst();
  }

  /** The mark must be newer than the claim, else the read may be older than the effect. */
  private static Optional<String> markFault(Handle handle, JobRow job, long mark) {
    boolean issued =
        Sql.yes(
            handle,
            """
            SELECT EXISTS (SELECT FROM marks m JOIN hosts h ON h.source = m.source
                           WHERE m.mark = :mark AND m.mark > :claimed AND h.name = :host)
            """,
            Map.of("mark", mark, "claimed", job.claimMark(), "host", job.host()));
    return issued
        ? Optional.empty()
        : Optional.of(
            "mark: "
                + mark
                + " was not issued to the source of "
                + job.host()
                + " after this claim; fetch one after the last effect, then read");
  }

  /**
   * Keeps all of the read, as checks judge by it before the next report comes; but never over a
   * newer one, and an instance of another host or source is left alone.
   */
  static void store(Handle handle, JobRow job, String result, long mark) {
    Sql.update(
        handle,
        """
        INSERT INTO instances
          (id, application, host, zone, capacity, health, detail, source, mark, observed_at)
        SELECT x.id, x.application, h.name, x.zone, COALESCE(x.capacity, 1), x.health,
               COALESCE(x.detail, ''), h.source, m.mark, LEAST(to_timestamp(x."observedAt" / 1000.0), m.issued_at)
        FROM jsonb_to_recordset(COALESCE(CAST(:result AS jsonb)->'instances', '[]')) AS x(
               id text, application text, zone text, capacity int, health text, detail text,
               "observedAt" bigint)
        CROSS JOIN hosts h CROSS JOIN marks m
        WHERE h.name = :host AND m.mark = :mark
        ORDER BY x.id
        ON CONFLICT (id) DO UPDATE
        SET application = EXCLUDED.application, zone = EXCLUDED.zone,
            capacity = EXCLUDED.capacity, health = EXCLUDED.health, detail = EXCLUDED.detail,
            mark = EXCLUDED.mark, observed_at = EXCLUDED.observed_at, vanished_at = NULL
        WHERE instances.mark <= EXCLUDED.mark AND instances.host = EXCLUDED.host
          AND instances.source = EXCLUDED.source
        """,
        Map.of("result", result, "host", job.host(), "mark", mark));
  }
}
