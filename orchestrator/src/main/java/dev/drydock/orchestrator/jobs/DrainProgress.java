package dev.drydock.orchestrator.jobs;

import dev.drydock.api.DrainLeft;
import dev.drydock.platform.store.Sql;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Keeps what consumers tell of hosts they drain: how much is left, and since when it is no less.
 */
final class DrainProgress {
  private DrainProgress() {}

  static void note(Handle handle, String job, DrainLeft left) {
    Sql.update(
        handle,
        """
        UPDATE jobs
        SET left_first = COALESCE(left_first, :count),
            left_fell_at = CASE WHEN left_least IS NULL OR left_least > :count
                                THEN clock_timestamp() ELSE left_fell_at END,
            left_least = LEAST(left_least, :count), left_now = :count, left_what = :what
        WHERE id = :id AND step = 'Drain'
        """,
        Map.of("count", left.getCount(), "what", left.getWhat(), "id", job));
  }
}
