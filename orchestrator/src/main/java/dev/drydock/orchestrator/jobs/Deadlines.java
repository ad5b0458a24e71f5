package dev.drydock.orchestrator.jobs;

import java.time.Duration;
import org.jdbi.v3.core.Handle;

/**
 * The time of jobs counts while a consumer has them, and only while there is a board. Until the
 * first claim the deadline says how long a job that may expire unclaimed waits for that.
 */
public final class Deadlines {
  /** Far more than between two looks, and less than any job has. */
  private static final Duration ABSENCE = Duration.ofMinutes(1);

  /** A process that freezes in the middle of a look loses its session: others look, too. */
  private static final Duration IDLE_MAX = Duration.ofSeconds(10);

  private Deadlines() {}

  /**
   * Of a job that nobody has: whether its time goes on all the same. That of a hook does from its
   * first claim on, as policies say how long it may take.
   *
   * @param jobs name or alias of the table in the statement
   */
  static String goesOnUnclaimed(String jobs) {
    return "(%1$s.not_before IS NOT NULL OR %1$s.attempt > 0 AND %1$s.step IN ('Hook', 'Unhook'))"
        .formatted(jobs);
  }

  /** Gives every job that has not ended its whole time anew: nobody could do it meanwhile. */
  public static void renew(Handle handle) {
    handle
        .createUpdate(
            """
            UPDATE jobs
            SET deadline = GREATEST(
                  deadline,
                  clock_timestamp() + make_interval(secs => CAST(spec->>'deadlineSeconds' AS int)))
            WHERE state IN ('Pending', 'Claimed')
            """)
        .execute();
  }

  /**
   * The same where nobody has looked after the board for a while: all servers were down, or the
   * database, or its clock was put forward. Notes when its clock was set back: ages are known from
   * there on ({@code ages_known_from()}). To be called at each look, in a transaction of its own.
   *
   * @return whether there was nobody
   */
  static boolean renewAfterAbsence(Handle handle) {
    handle
        .createQuery("SELECT set_config('idle_in_transaction_session_timeout', :idle, true)")
        .bind("idle", IDLE_MAX.toMillis() + "ms")
        .mapTo(String.class)
        .one();
    boolean absent =
        handle
            .createQuery(
                """
                WITH last AS (SELECT at FROM board_looks FOR UPDATE),
                  set_back AS (
                    INSERT INTO clock_set_backs (seen)
                    SELECT at FROM last WHERE at > clock_timestamp() + interval '1 s')
                UPDATE board_looks SET at = clock_timestamp()
                FROM last
                RETURNING clock_timestamp() - last.at > make_interval(secs => :absence)
                """)
            .bind("absence", ABSENCE.toSeconds())
            .mapTo(Boolean.class)
            .one();
    if (absent) {
      renew(handle);
    }
    return absent;
  }
}
