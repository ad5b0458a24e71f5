package dev.drydock.orchestrator.store;

import dev.drydock.api.EventKind;
import dev.drydock.platform.events.Event;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Cohorts of a rollout, hosts of one hardware class that carry applications of one policy, and
 * those of them that are halted. The caller holds the lock of the rollout.
 */
public final class CohortHalts {
  private CohortHalts() {}

  /**
   * A cohort with hosts that have ended since people looked last.
   *
   * @param ended upgraded or failed
   * @param failed reverted or quarantined
   */
  public record Cohort(String hardwareClass, int ended, int failed, boolean halted) {}

  /** Locks the rollout; whether hosts of it may begin. */
  public static boolean lockRunning(Handle handle, String rollout) {
    return handle
        .createQuery("SELECT state = 'Running' FROM rollouts WHERE id = :id FOR NO KEY UPDATE")
        .bind("id", rollout)
        .mapTo(Boolean.class)
        .one();
  }

  /** By what each host carried when it was granted. */
  public static List<Cohort> cohorts(
      Handle handle, String rollout, String policy, Collection<String> applications) {
    return handle
        .createQuery(
            """
            SELECT h.hardware_class, count(*) AS ended,
                   count(*) FILTER (WHERE u.state IN ('Reverted', 'Quarantined')) AS failed,
                   EXISTS (SELECT FROM cohort_halts c
                           WHERE c.rollout = :rollout AND c.policy = :policy
                             AND c.hardware_class = h.hardware_class) AS halted
            FROM host_upgrades u
            JOIN rollouts r ON r.id = u.rollout
            JOIN hosts h ON h.name = u.host
            WHERE u.rollout = :rollout AND u.state IN ('Upgraded', 'Reverted', 'Quarantined')
              AND u.ended_at > r.counted_from AND u.applications && CAST(:applications AS text[])
            GROUP BY h.hardware_class ORDER BY h.hardware_class
            """)
        .bind("rollout", rollout)
        .bind("policy", policy)
        .bindArray("applications", String.class, applications)
        .map(
            (row, _) ->
                new Cohort(
                    row.getString("hardware_class"),
                    row.getInt("ended"),
                    row.getInt("failed"),
                    row.getBoolean("halted")))
        .list();
  }

  /** From now on no further host of the cohort begins. */
  public static void halt(
      Handle handle,
      String rollout,
      String policy,
      String hardwareClass,
      Collection<String> applications,
      String says) {
    handle
        .createUpdate(
            """
            INSERT INTO cohort_halts (rollout, policy, hardware_class, applications, says)
            VALUES (:rollout, :policy, :class, :applications, :says) ON CONFLICT DO NOTHING
            """)
        .bind("rollout", rollout)
        .bind("policy", policy)
        .bind("class", hardwareClass)
        .bindArray("applications", String.class, applications)
        .bind("says", says)
        .execute();
  }

  /**
   * Holds whoever waits in a halted cohort, also who came back to wait since. Without the lock of
   * the rollout, too: what is lifted meanwhile is lifted after it, or seen to be.
   */
  public static void hold(Handle handle, String rollout) {
    handle
        .createUpdate(
            """
            WITH halts AS (SELECT * FROM cohort_halts WHERE rollout = :rollout FOR SHARE)
            UPDATE host_upgrades u
            SET waits_for = array_append(waits_for, 'halt:' || c.policy || '/' || c.hardware_class),
                reason = c.says
            FROM halts c, hosts h
            WHERE u.rollout = c.rollout AND h.name = u.host
              AND h.hardware_class = c.hardware_class
              AND u.state = 'Pending' AND u.grant_id IS NULL
              AND NOT 'halt:' || c.policy || '/' || c.hardware_class = ANY(u.waits_for)
              AND EXISTS (SELECT FROM instances i
                          WHERE i.host = u.host AND i.vanished_at IS NULL
                            AND i.application = ANY(c.applications))
            """)
        .bind("rollout", rollout)
        .execute();
  }

  /** No further host of the rollout begins. */
  public static void pause(Handle handle, String rollout, String by, String reason) {
    handle
        .createUpdate(
            """
            UPDATE rollouts SET state = 'Paused', state_by = :by, state_reason = :reason
            WHERE id = :id AND state = 'Running'
            """)
        .bind("by", by)
        .bind("reason", reason)
        .bind("id", rollout)
        .execute();
  }

  /**
   * People have looked: every cohort goes on, and what failed before is not counted again.
   *
   * @return whether any was halted
   */
  public static boolean lift(Handle handle, String rollout, String by) {
    handle
        .createUpdate("UPDATE rollouts SET counted_from = clock_timestamp() WHERE id = :id")
        .bind("id", rollout)
        .execute();
    boolean lifted =
        handle
                .createUpdate("DELETE FROM cohort_halts WHERE rollout = :id")
                .bind("id", rollout)
                .execute()
            > 0;
    if (lifted) {
      handle
          .createUpdate(
              """
              UPDATE host_upgrades
              SET waits_for = ARRAY(SELECT gate FROM unnest(waits_for) AS gate
                                    WHERE NOT starts_with(gate, 'halt:')),
                  reason = ''
              WHERE rollout = :id AND EXISTS (SELECT FROM unnest(waits_for) AS gate
                                              WHERE starts_with(gate, 'halt:'))
              """)
          .bind("id", rollout)
          .execute();
      Event.ofRollout(EventKind.CohortsReleased, rollout, Map.of("by", by)).append(handle);
    }
    return lifted;
  }
}
