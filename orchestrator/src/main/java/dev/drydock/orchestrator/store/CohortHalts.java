package dev.drydock.orchestrator.store;

import dev.drydock.api.EventKind;
import dev.drydock.platform.events.NewEvent;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Cohorts of a rollout, hosts of one hardware class that carry one application, and those of them
 * that are halted. Who carries several applications is in several. Whoever halts, pauses or lifts
 * holds the lock of the rollout.
 */
public final class CohortHalts {
  private CohortHalts() {}

  /** Hosts of one hardware class that carry an application. */
  public record Cohort(String hardwareClass, String application) {}

  /**
   * How hosts ended.
   *
   * @param ended upgraded or failed
   * @param failed reverted or quarantined
   */
  public record Outcome(int ended, int failed) {
    public static final Outcome NONE = new Outcome(0, 0);

    public Outcome plus(Outcome other) {
      return new Outcome(ended + other.ended, failed + other.failed);
    }
  }

  /** Hosts of one hardware class that carried the same when they were granted. */
  public record Alike(String hardwareClass, List<String> applications, Outcome outcome) {
    /** Those of its cohorts that some applications are about. */
    public List<Cohort> cohorts(Collection<String> about) {
      return applications.stream()
          .filter(about::contains)
          .map(application -> new Cohort(hardwareClass, application))
          .toList();
    }
  }

  /** From when on ends of hosts count; empty while no host of the rollout may begin. */
  public static Optional<String> countedFrom(Handle handle, String rollout) {
    return handle
        .createQuery(
            """
            SELECT CAST(counted_from AS text) FROM rollouts WHERE id = :id AND state = 'Running'
            """)
        .bind("id", rollout)
        .mapTo(String.class)
        .findOne();
  }

  /**
   * Locks the rollout; whether hosts of it may begin, and nobody has looked since that was read.
   */
  public static boolean lockRunning(Handle handle, String rollout, String countedFrom) {
    return handle
        .createQuery(
            """
            SELECT state = 'Running' AND counted_from = CAST(:from AS timestamptz) FROM rollouts
            WHERE id = :id FOR NO KEY UPDATE
            """)
        .bind("from", countedFrom)
        .bind("id", rollout)
        .mapTo(Boolean.class)
        .one();
  }

  /**
   * The hosts that have ended since people looked last, without those that did not pass their
   * preflights: nothing was done to them. Takes as long as they are many.
   */
  public static List<Alike> ended(Handle handle, String rollout, String countedFrom) {
    return handle
        .createQuery(
            """
            SELECT h.hardware_class, u.applications, count(*) AS ended,
                   count(*) FILTER (WHERE u.state IN ('Reverted', 'Quarantined')) AS failed
            FROM host_upgrades u
            JOIN hosts h ON h.name = u.host
            WHERE u.rollout = :rollout AND u.state IN ('Upgraded', 'Reverted', 'Quarantined')
              AND u.ended_at > CAST(:from AS timestamptz)
              AND NOT (u.state = 'Reverted'
                       AND EXISTS (SELECT FROM preflights p WHERE p.rollout = u.rollout
                                     AND p.host = u.host AND p.mend = 'People'))
            GROUP BY h.hardware_class, u.applications ORDER BY h.hardware_class, u.applications
            """)
        .bind("rollout", rollout)
        .bind("from", countedFrom)
        .map(
            (row, _) ->
                new Alike(
                    row.getString("hardware_class"),
                    List.of((String[]) row.getArray("applications").getArray()),
                    new Outcome(row.getInt("ended"), row.getInt("failed"))))
        .list();
  }

  /** The cohorts that a policy has halted. */
  public static Set<Cohort> halted(Handle handle, String rollout, String policy) {
    return handle
        .createQuery(
            """
            SELECT hardware_class, application FROM cohort_halts
            WHERE rollout = :rollout AND policy = :policy
            """)
        .bind("rollout", rollout)
        .bind("policy", policy)
        .map((row, _) -> new Cohort(row.getString("hardware_class"), row.getString("application")))
        .set();
  }

  /** From now on no further host of the cohort begins. */
  public static void halt(
      Handle handle, String rollout, String policy, Cohort cohort, String says) {
    handle
        .createUpdate(
            """
            INSERT INTO cohort_halts (rollout, policy, hardware_class, application, says)
            VALUES (:rollout, :policy, :class, :application, :says) ON CONFLICT DO NOTHING
            """)
        .bind("rollout", rollout)
        .bind("policy", policy)
        .bind("class", cohort.hardwareClass())
        .bind("application", cohort.application())
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
            WITH halts AS (
              SELECT *, concat_ws('/', 'halt:' || policy, hardware_class, application) AS gate
              FROM cohort_halts WHERE rollout = :rollout FOR SHARE
            ), held AS (
              SELECT u.host, array_agg(c.gate ORDER BY c.gate) AS gates, min(c.says) AS says
              FROM host_upgrades u
              JOIN hosts h ON h.name = u.host
              JOIN halts c ON c.hardware_class = h.hardware_class AND NOT c.gate = ANY(u.waits_for)
              -- Where nothing is halted nobody is looked at.
              WHERE EXISTS (SELECT FROM halts)
                AND u.rollout = :rollout AND u.state = 'Pending' AND u.grant_id IS NULL
                AND EXISTS (SELECT FROM instances i
                            WHERE i.host = u.host AND i.vanished_at IS NULL
                              AND i.application = c.application)
              GROUP BY u.host
            )
            UPDATE host_upgrades u SET waits_for = u.waits_for || held.gates, reason = held.says
            FROM held
            WHERE u.rollout = :rollout AND u.host = held.host
              AND u.state = 'Pending' AND u.grant_id IS NULL
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
   * People have looked: every cohort goes on, and what failed before is not counted again. Of a
   * rollout that goes on as it is there was nothing to look at: it is counted on.
   *
   * @return whether any was halted
   */
  public static boolean lift(Handle handle, String rollout, String by) {
    boolean lifted =
        handle
                .createUpdate("DELETE FROM cohort_halts WHERE rollout = :id")
                .bind("id", rollout)
                .execute()
            > 0;
    handle
        .createUpdate(
            """
            UPDATE rollouts SET counted_from = clock_timestamp()
            WHERE id = :id AND (:lifted OR state = 'Paused')
            """)
        .bind("id", rollout)
        .bind("lifted", lifted)
        .execute();
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
      NewEvent.ofRollout(EventKind.CohortsReleased, rollout, Map.of("by", by)).append(handle);
    }
    return lifted;
  }
}
