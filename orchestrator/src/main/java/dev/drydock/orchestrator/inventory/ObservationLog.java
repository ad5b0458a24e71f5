package dev.drydock.orchestrator.inventory;

import dev.drydock.api.InstanceReport;
import dev.drydock.api.InventoryReport;
import dev.drydock.platform.store.Sql;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * What was observed and when, for who judges later what could be known (protocol P12). Changes of
 * hosts and instances are written by the database; here is what only a report knows of itself. Safe
 * for use by many threads.
 */
final class ObservationLog {
  private final Jdbi jdbi;

  ObservationLog(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Writes, in the transaction of its intake, that a report was taken in: one row, whatever it
   * names.
   */
  static void taken(Handle handle, MarkIssuer.Issued mark, InventoryReport report) {
    Instant oldest =
        report.getInstances().stream()
            .map(instance -> Observations.observedAt(instance, mark))
            .min(Comparator.naturalOrder())
            .orElse(mark.at());
    Sql.update(
        handle,
        """
        INSERT INTO observed_reports (source, mark, issued_at, instances, oldest_at)
        VALUES (:source, :mark, :issued, CASE WHEN NOT :full THEN CAST(:named AS text[]) END, :oldest)
        """,
        Map.of(
            "source", mark.source(),
            "mark", mark.mark(),
            "issued", mark.at(),
            "full", report.isFull(),
            "named", report.getInstances().stream().map(InstanceReport::getId).toList(),
            "oldest", oldest));
  }

  /**
   * Forgets what is older than {@code age}, but of each host and instance the last of that: it is
   * how they were then. Costs what grew old since the last time, however much is kept.
   *
   * @return how many rows went
   */
  int prune(Duration age) {
    return jdbi.inTransaction(
        handle -> {
          Timestamp before =
              handle
                  .createQuery("SELECT since FROM observations_kept FOR UPDATE")
                  .mapTo(Timestamp.class)
                  .one();
          Timestamp since =
              handle
                  .createQuery(
                      """
                      UPDATE observations_kept
                      SET since = GREATEST(since, clock_timestamp() - make_interval(secs => :age))
                      RETURNING since
                      """)
                  .bind("age", age.toSeconds())
                  .mapTo(Timestamp.class)
                  .one();
          int reports =
              Sql.update(
                  handle,
                  "DELETE FROM observed_reports WHERE received_at < :since",
                  Map.of("since", since));
          return reports
              + forgetSuperseded(handle, "observed_instances", "instance", before, since)
              + forgetSuperseded(handle, "observed_hosts", "host", before, since);
        });
  }

  /** What is followed by a row that has grown old between the two times. */
  private static int forgetSuperseded(
      Handle handle, String table, String of, Timestamp before, Timestamp since) {
    return Sql.update(
        handle,
        """
        DELETE FROM %1$s old USING %1$s later
        WHERE later.at >= :before AND later.at < :since
          AND old.%2$s = later.%2$s AND old.id < later.id
        """
            .formatted(table, of),
        Map.of("before", before, "since", since));
  }
}
