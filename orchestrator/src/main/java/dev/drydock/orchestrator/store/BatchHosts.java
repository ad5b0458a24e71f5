package dev.drydock.orchestrator.store;

import java.util.List;
import org.jdbi.v3.core.Handle;

/** The host upgrades a grant works on. The caller holds the lock of the grant. */
public final class BatchHosts {
  private BatchHosts() {}

  /** Hosts still in the batch, by name. */
  public static List<String> active(Handle handle, String grant) {
    return handle
        .createQuery(
            """
            SELECT host FROM host_upgrades
            WHERE grant_id = :grant AND state = 'InProgress' ORDER BY host
            """)
        .bind("grant", grant)
        .mapTo(String.class)
        .list();
  }

  /** Whether the rollout has hosts that have not come to their end. */
  public static boolean anyOpen(Handle handle, String rollout) {
    return handle
        .createQuery(
            """
            SELECT EXISTS (SELECT FROM host_upgrades
                           WHERE rollout = :rollout AND state IN ('Pending', 'InProgress'))
            """)
        .bind("rollout", rollout)
        .mapTo(Boolean.class)
        .one();
  }

  /** Shows which step a host is at. */
  public static void step(Handle handle, String grant, String host, String step) {
    handle
        .createUpdate(
            """
            UPDATE host_upgrades SET step = :step
            WHERE grant_id = :grant AND host = :host AND state = 'InProgress'
              AND step IS DISTINCT FROM :step
            """)
        .bind("step", step)
        .bind("grant", grant)
        .bind("host", host)
        .execute();
  }

  /** Shows why hosts under way wait; empty once they do not. */
  public static void says(Handle handle, String grant, List<String> hosts, String reason) {
    handle
        .createUpdate(
            """
            UPDATE host_upgrades SET reason = :reason
            WHERE grant_id = :grant AND host = ANY(:hosts) AND state = 'InProgress'
            """)
        .bind("reason", reason)
        .bind("grant", grant)
        .bindArray("hosts", String.class, hosts)
        .execute();
  }

  /** A host is to be quarantined, and stays so: its lock may be a quarantine from now on. */
  public static void condemn(Handle handle, String grant, String host, String reason) {
    handle
        .createUpdate(
            """
            UPDATE host_upgrades SET condemned = :reason
            WHERE grant_id = :grant AND host = :host AND state = 'InProgress'
            """)
        .bind("reason", reason)
        .bind("grant", grant)
        .bind("host", host)
        .execute();
  }

  /** A host reaches a final state, Quarantined, Reverted, Skipped or Upgraded, with the reason. */
  public static void finish(Handle handle, String grant, String host, String state, String reason) {
    handle
        .createUpdate(
            """
            UPDATE host_upgrades
            SET state = :state, reason = :reason, ended_at = clock_timestamp(),
                step = CASE WHEN :state = 'Quarantined' THEN step ELSE 'End' END
            WHERE grant_id = :grant AND host = :host AND state = 'InProgress'
            """)
        .bind("state", state)
        .bind("reason", reason)
        .bind("grant", grant)
        .bind("host", host)
        .execute();
  }

  /**
   * From now on what is done to hosts of the grant is about the release they had before, or about
   * that of their rollout again.
   */
  public static void goBack(Handle handle, String grant, String host, boolean back) {
    handle
        .createUpdate(
            """
            UPDATE host_upgrades SET back_to = CASE WHEN :back THEN release_before END
            WHERE grant_id = :grant AND host = :host
            """)
        .bind("back", back)
        .bind("grant", grant)
        .bind("host", host)
        .execute();
  }

  /**
   * A held host is pending again, with the age of its first turn, but not before a back-off that
   * doubles with each time it was held in this rollout: 5 s at first, 5 min at most.
   */
  public static void backOff(Handle handle, GrantRow grant, String host, String reason) {
    handle
        .createUpdate(
            """
            UPDATE host_upgrades
            SET state = 'Pending', step = NULL, grant_id = NULL, reason = :reason,
                held_times = held_times + 1,
                not_before = clock_timestamp()
                  + make_interval(secs => LEAST(300, 5 * 2 ^ LEAST(10, held_times)))
            WHERE grant_id = :grant AND host = :host AND state = 'InProgress'
            """)
        .bind("reason", reason)
        .bind("host", host)
        .bind("grant", grant.id())
        .execute();
  }
}
