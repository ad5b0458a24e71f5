package dev.drydock.orchestrator.inventory;

import dev.drydock.api.InstanceReport;
import dev.drydock.api.InventoryReport;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * What was observed and when, for who judges later what could be known (protocol P12). Changes of
 * hosts and instances are written by the database; here is what only a report knows of itself. Safe
 * for use by many threads.
 */
final class ObservationLog {
  private static final int FORGOTTEN_AT_ONCE = 10_000;

  private final Jdbi jdbi;

  ObservationLog(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Writes, in the transaction of its intake, that a report was taken in: one row, whatever it
   * names.
   */
  static void taken(Handle handle, Marks.Issued mark, InventoryReport report) {
    Instant oldest =
        report.getInstances().stream()
            .map(instance -> Observations.observedAt(instance, mark))
            .min(Comparator.naturalOrder())
            .orElse(mark.at());
    String @Nullable [] named =
        report.isFull()
            ? null
            : report.getInstances().stream().map(InstanceReport::getId).toArray(String[]::new);
    handle
        .createUpdate(
            """
            INSERT INTO observed_reports (source, mark, issued_at, instances, oldest_at)
            VALUES (:source, :mark, :issued, CAST(:named AS text[]), :oldest)
            """)
        .bind("source", mark.source())
        .bind("mark", mark.mark())
        .bind("issued", Timestamp.from(mark.at()))
        .bind("named", named)
        .bind("oldest", Timestamp.from(oldest))
        .execute();
  }

  /**
   * Forgets what is older than {@code age}, but of each host and instance the last of that: it is
   * how they were then.
   *
   * @return how many rows went; more may be left
   */
  int prune(Duration age) {
    return jdbi.inTransaction(
        handle -> {
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
          return forget(
                  handle, since, "observed_reports WHERE received_at < :since ORDER BY received_at")
              + forget(handle, since, superseded("observed_instances", "instance"))
              + forget(handle, since, superseded("observed_hosts", "host"));
        });
  }

  private static String superseded(String table, String of) {
    return """
        %1$s old WHERE at < :since AND EXISTS (
          SELECT FROM %1$s later WHERE later.%2$s = old.%2$s AND later.id > old.id AND later.at < :since)
        ORDER BY at
        """
        .formatted(table, of);
  }

  private static int forget(Handle handle, Timestamp since, String rows) {
    String table = rows.substring(0, rows.indexOf(' '));
    return handle
        .createUpdate(
            "DELETE FROM %s WHERE id IN (SELECT id FROM %s LIMIT :limit)".formatted(table, rows))
        .bind("since", since)
        .bind("limit", FORGOTTEN_AT_ONCE)
        .execute();
  }
}
