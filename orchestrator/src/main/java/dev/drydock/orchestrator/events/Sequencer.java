package dev.drydock.orchestrator.events;

import dev.drydock.platform.store.Sql;
import java.time.Duration;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Gives committed events their numbers (protocol P12):
 *
 * <ol>
 *   <li>take the one lock of all sequencers, and only then look: what an earlier one numbered is
 *       seen;
 *   <li>number the events that can be seen and have none, in the order of their ids, from the
 *       highest number on.
 * </ol>
 *
 * <p>Properties: numbers become visible in their order, so that a reader that has seen one has seen
 * all smaller ones; there are no gaps, but where the database was restored; an open transaction
 * delays its own events and no others; of two events of one object the one written first under its
 * lock has the smaller number. Any number of processes may run it, and may die at any line.
 */
public final class Sequencer {
  private static final int AT_ONCE = 1000;

  /** The last number that was given, or left out. */
  private static final String LAST =
      """
      SELECT GREATEST((SELECT COALESCE(max(number), 0) FROM events),
                      (SELECT COALESCE(max(after), 0) FROM event_leaps)) AS number
      """;

  private static final Duration IDLE_MAX = Duration.ofSeconds(5);

  private final Jdbi jdbi;

  Sequencer(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Numbers all that can be numbered now; answers how many. */
  int run() {
    int all = 0;
    int numbered = AT_ONCE;
    while (numbered == AT_ONCE && waiting()) {
      numbered = jdbi.inTransaction(Sequencer::number);
      all += numbered;
    }
    return all;
  }

  /** Spares the lock when another process was faster. */
  private boolean waiting() {
    return Sql.yes(jdbi, "SELECT EXISTS (SELECT FROM events WHERE number IS NULL)", Map.of());
  }

  /**
   * Goes on behind every number this database can have given before it was restored, and numbers
   * what can be numbered: who reads on from one of those misses nothing. Numbers are below the
   * microseconds since 1970 otherwise, as nobody writes a million events a second.
   */
  public static void leap(Handle handle) {
    lock(handle, IDLE_MAX);
    handle.execute(
        """
        INSERT INTO event_leaps (before, after)
        SELECT last.number,
               GREATEST(last.number + 1, CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint))
        FROM (%s) last
        """
            .formatted(LAST));
    number(handle);
  }

  static int number(Handle handle) {
    lock(handle, IDLE_MAX);
    return Sql.update(
        handle,
        """
        UPDATE events SET number = last.number + seen.place
        FROM (%s) last,
             (SELECT id, row_number() OVER (ORDER BY id) AS place
              FROM (SELECT id FROM events WHERE number IS NULL ORDER BY id LIMIT :limit) new) seen
        WHERE events.id = seen.id
        """
            .formatted(LAST),
        Map.of("limit", AT_ONCE));
  }

  /** Until the end of the transaction; a process that freezes with it loses its session. */
  static void lock(Handle handle, Duration idle) {
    handle
        .createQuery(
            """
            SELECT set_config('idle_in_transaction_session_timeout', :idle, true),
                   pg_advisory_xact_lock(hashtextextended('event numbers', 0))
            """)
        .bind("idle", idle.toMillis() + "ms")
        .mapToMap()
        .list();
  }
}
