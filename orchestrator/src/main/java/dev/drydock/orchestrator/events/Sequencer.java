package dev.drydock.orchestrator.events;

import java.time.Duration;
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

  /** More than any restored database can have forgotten. */
  private static final long LEAP = 1_000_000_000;

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
      numbered = jdbi.inTransaction(handle -> number(handle, 0));
      all += numbered;
    }
    return all;
  }

  /** Spares the lock when another process was faster. */
  private boolean waiting() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT EXISTS (SELECT FROM events WHERE number IS NULL)")
                .mapTo(Boolean.class)
                .one());
  }

  /**
   * Numbers what can be numbered, far behind the highest number: in a database that was restored
   * the next ones were given before, and who reads on from one of them would miss what has it now.
   */
  public static void leap(Handle handle) {
    number(handle, LEAP);
  }

  static int number(Handle handle, long leap) {
    lock(handle, IDLE_MAX);
    return handle
        .createUpdate(
            """
            UPDATE events SET number = last.number + :leap + seen.place
            FROM (SELECT COALESCE(max(number), 0) AS number FROM events) last,
                 (SELECT id, row_number() OVER (ORDER BY id) AS place
                  FROM (SELECT id FROM events WHERE number IS NULL ORDER BY id LIMIT :limit) new) seen
            WHERE events.id = seen.id
            """)
        .bind("leap", leap)
        .bind("limit", AT_ONCE)
        .execute();
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
