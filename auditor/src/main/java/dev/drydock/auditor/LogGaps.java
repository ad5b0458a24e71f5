package dev.drydock.auditor;

import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * What happened to the logs themselves since a rollout was created. In the transaction of the
 * handle.
 */
final class LogGaps {
  /**
   * Whether a row is of later than the rollout: told by events, by time only where they are not.
   */
  private static final String SINCE =
      "(CASE WHEN last_event IS NULL OR :created = 0 THEN %s >= :at ELSE last_event >= :created END)";

  private static final int NAMED_MAX = 3;

  private final Handle handle;
  private final Instant at;
  private final long created;

  /**
   * @param at when the rollout was created
   * @param created the event of that; 0 if it is not kept
   */
  LogGaps(Handle handle, Instant at, long created) {
    this.handle = handle;
    this.at = at;
    this.created = created;
  }

  /** What was done between the copy and its restore no row tells of. */
  List<String> restoresOfRows() {
    return recoveries("behind = 'PostgreSQL'");
  }

  /**
   * Nor what was observed; and where locks were lost, hosts were free for others for a while that
   * no row tells. Times from before the clock was set back are later than they should be.
   */
  List<String> times() {
    List<String> gaps = new ArrayList<>(recoveries("true"));
    gaps.addAll(
        texts(
            """
            SELECT 'the clock of the database was set back from ' || seen || ' to ' || noticed_at
            FROM clock_set_backs
            WHERE CASE WHEN :created = 0 THEN noticed_at >= :at ELSE event >= :created END
            ORDER BY mark LIMIT :limit
            """));
    return gaps;
  }

  private List<String> recoveries(String which) {
    return texts(
        "SELECT behind || ' was restored, as noticed at ' || noticed_at FROM recoveries WHERE "
            + which
            + " AND "
            + SINCE.formatted("noticed_at")
            + " ORDER BY id LIMIT :limit");
  }

  /** Why the lock history may be incomplete. */
  List<String> locks() {
    List<String> gaps =
        new ArrayList<>(
            texts(
                "SELECT reason || ' (noted at ' || at || ')' FROM lock_history WHERE what = 'Gap' AND "
                    + SINCE.formatted("at")
                    + " ORDER BY epoch, revision LIMIT :limit"));
    boolean restored =
        !texts(
                "SELECT lock_id FROM lock_history WHERE epoch < (SELECT max(epoch) FROM lock_history) AND "
                    + SINCE.formatted("at")
                    + " LIMIT :limit")
            .isEmpty();
    if (restored) {
      gaps.add("etcd was restored since the rollout was created: its history has a break");
    }
    return gaps;
  }

  private List<String> texts(String sql) {
    return handle
        .createQuery(sql)
        .bind("created", created)
        .bind("at", Timestamp.from(at))
        .bind("limit", NAMED_MAX)
        .mapTo(String.class)
        .list();
  }
}
