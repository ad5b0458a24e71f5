package dev.drydock.orchestrator.store;

import dev.drydock.platform.store.Sql;
import dev.drydock.platform.store.WakeupChannel;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Wake-ups of workflows, written with the change they tell about and delivered by the relay until
 * answered. A lost one costs time, never truth: a workflow also looks on its own timer. Safe for
 * use by many threads.
 */
public final class Wakeups {
  /** Channel on which the relay listens. */
  public static final String RELAY_CHANNEL = "relay";

  /** Channel on which the grantor listens. */
  public static final String GRANTOR_CHANNEL = WakeupChannel.GRANTOR;

  private static final String KEPT = "1 hour";
  private static final String MOMENT = "1 second";

  private final Jdbi jdbi;

  public Wakeups(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Open wake-ups of one workflow; one signal answers all of them.
   *
   * @param last id up to which they are answered
   */
  public record Due(String workflow, String cause, long last) {}

  /** Wakes a workflow when the transaction of the handle commits. */
  public static void add(Handle handle, String workflow, String cause) {
    Sql.texts(
        handle,
        """
        WITH added AS (
          INSERT INTO wakeups (workflow, cause) VALUES (:workflow, :cause) RETURNING id)
        SELECT pg_notify(:channel, '') FROM added
        """,
        Map.of("workflow", workflow, "cause", cause, "channel", RELAY_CHANNEL));
  }

  /**
   * The same for what can wait for a moment: many of them within it are one signal, and a later
   * wake-up that cannot wait is delivered with those before it.
   */
  public static void soon(Handle handle, String workflow, String cause) {
    Sql.update(
        handle,
        """
        INSERT INTO wakeups (workflow, cause, due_at)
        VALUES (:workflow, :cause, clock_timestamp() + CAST(:moment AS interval))
        """,
        Map.of("workflow", workflow, "cause", cause, "moment", MOMENT));
  }

  /** Workflows with wake-ups that are due, longest waiting first; each answers all of its own. */
  public List<Due> due(int limit) {
    return Sql.list(
        jdbi,
        Due.class,
        """
        SELECT workflow, max(id) AS last,
               (array_agg(cause ORDER BY id DESC))[1] AS cause
        FROM wakeups WHERE delivered_at IS NULL
        GROUP BY workflow HAVING min(due_at) <= clock_timestamp()
        ORDER BY min(id) LIMIT :limit
        """,
        Map.of("limit", limit));
  }

  /** Their workflows were woken, or are no more. */
  public void delivered(Collection<Due> due) {
    if (due.isEmpty()) {
      return;
    }
    jdbi.useHandle(
        handle ->
            handle
                .createUpdate(
                    """
                    UPDATE wakeups w SET delivered_at = clock_timestamp()
                    FROM unnest(CAST(:workflows AS text[]), CAST(:lasts AS bigint[])) AS d(workflow, last)
                    WHERE w.workflow = d.workflow AND w.id <= d.last AND w.delivered_at IS NULL
                    """)
                .bindArray("workflows", String.class, due.stream().map(Due::workflow).toList())
                .bindArray("lasts", Long.class, due.stream().map(Due::last).toList())
                .execute());
  }

  /** How many wait to be delivered. */
  public long open() {
    return Sql.one(
        jdbi, Long.class, "SELECT count(*) FROM wakeups WHERE delivered_at IS NULL", Map.of());
  }

  /** Forgets what was delivered long ago. */
  public void prune() {
    Sql.update(
        jdbi,
        "DELETE FROM wakeups WHERE delivered_at < clock_timestamp() - CAST(:kept AS interval)",
        Map.of("kept", KEPT));
  }
}
