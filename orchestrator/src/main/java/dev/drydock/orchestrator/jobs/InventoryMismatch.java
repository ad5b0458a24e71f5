package dev.drydock.orchestrator.jobs;

import dev.drydock.platform.store.Sql;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Why the board does not take a Cordon as done: the host runs what the inventory does not have
 * there, so the checks would judge other instances than the Drain stops.
 *
 * @param hold whether the batch may come back later: the inventory may learn of the instance
 */
record InventoryMismatch(boolean hold, String reason) {

  /** The objection to the instances a Cordon found, if any. */
  static Optional<InventoryMismatch> toCordon(Handle handle, JobRow job, JobReport jobReport) {
    List<Found> odd =
        Sql.list(
            handle,
            Found.class,
            """
            SELECT x.id, COALESCE(i.host, '') AS host, COALESCE(i.source, '') AS source,
                   COALESCE(i.source, h.source) = h.source AS own
            FROM jsonb_to_recordset(COALESCE(CAST(:result AS jsonb)->'instances', '[]'))
                   AS x(id text)
            JOIN hosts h ON h.name = :host
            LEFT JOIN instances i ON i.id = x.id AND i.vanished_at IS NULL
            WHERE i.id IS NULL OR i.host <> h.name OR i.source <> h.source
            ORDER BY COALESCE(i.source, h.source) = h.source, x.id
            """,
            Map.of("result", jobReport.json(), "host", job.host()));
    return odd.stream()
        .findFirst()
        .map(
            found ->
                new InventoryMismatch(
                    found.own(),
                    found.host().isEmpty()
                        ? "found an instance the scheduler's list does not name: " + found.id()
                        : found.elsewhere()));
  }

  /**
   * An instance that the inventory does not have on the host.
   *
   * @param own whether nobody but the source of the host can have it: its next report may tell that
   *     it moved
   */
  private record Found(String id, String host, String source, boolean own) {
    String elsewhere() {
      return "found instance "
          + id
          + ", which the inventory has on "
          + host
          + " from source "
          + source;
    }
  }

  /** As kept beside the consumer's result. */
  Map<String, Object> tree() {
    return Map.of("objection", Map.of("hold", hold, "reason", reason));
  }
}
