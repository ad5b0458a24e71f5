package dev.drydock.orchestrator.preflight;

import dev.drydock.orchestrator.store.CohortHalts;
import dev.drydock.platform.store.Sql;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Pauses a rollout whose hosts fail their preflights alike, before the rest of them is tried: so
 * many in a row that only people can mend, of one cause; or twice as many of the last ten times as
 * many. Who resumes it has looked: what was found before counts no more.
 */
final class RepeatedRefusals {
  private static final int SHARE = 2;
  private static final int SPAN = 10;

  private final int alike;

  /**
   * The limit.
   *
   * @param alike how many in a row; with 0 nothing is ever paused
   */
  RepeatedRefusals(int alike) {
    this.alike = alike;
  }

  /** What the last preflights found. */
  private record Seen(int inRow, int ofLast, int last) {}

  /** A host of the rollout was refused, and its row says so already. */
  void look(Handle handle, String rollout, PreflightResult result) {
    if (alike == 0) {
      return;
    }
    // One after the other: each sees those before it.
    Sql.texts(
        handle, "SELECT id FROM rollouts WHERE id = :id FOR NO KEY UPDATE", Map.of("id", rollout));
    Seen seen = seen(handle, rollout, result.cause());
    boolean inRow = seen.inRow() >= alike;
    if (inRow || seen.ofLast() >= SHARE * alike) {
      CohortHalts.pause(handle, rollout, "preflight", says(rollout, result, seen, inRow));
    }
  }

  private Seen seen(Handle handle, String rollout, String cause) {
    return Sql.one(
        handle,
        Seen.class,
        """
        SELECT count(*) FILTER (WHERE n <= :alike AND same) AS in_row,
               count(*) FILTER (WHERE same) AS of_last, count(*) AS last
        FROM (SELECT p.mend IS NOT DISTINCT FROM 'People' AND p.cause = :cause AS same,
                     row_number() OVER (ORDER BY p.ended_at DESC) AS n
              FROM preflights p JOIN rollouts r ON r.id = p.rollout
              WHERE p.rollout = :rollout AND p.ended_at > r.counted_from
                AND p.state <> 'Cancelled'
              ORDER BY p.ended_at DESC LIMIT :span) newest
        """,
        Map.of("alike", alike, "cause", cause, "rollout", rollout, "span", SPAN * alike));
  }

  private static String says(String rollout, PreflightResult result, Seen seen, boolean inRow) {
    String hosts =
        inRow
            ? "the last %d hosts".formatted(seen.inRow())
            : "%d of the last %d hosts".formatted(seen.ofLast(), seen.last());
    String cause = result.cause().isEmpty() ? "" : " (" + result.cause() + ")";
    return "%s that were asked cannot be updated for the same cause%s; the last says: %s; none of them was touched; drydock rollout resume %s tries the others"
        .formatted(hosts, cause, result.message(), rollout);
  }
}
