package dev.drydock.orchestrator.store;

import dev.drydock.platform.store.Sql;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** The host upgrades a grant works on. The caller holds the lock of the grant. */
public final class BatchHosts {
  private BatchHosts() {}

  /** Hosts still in the batch, by name. */
  public static List<String> active(Handle handle, String grant) {
    return Sql.texts(
        handle,
        """
        SELECT host FROM host_upgrades
        WHERE grant_id = :grant AND state = 'InProgress' ORDER BY host
        """,
        Map.of("grant", grant));
  }

  /** Whether the rollout has hosts that have not come to their end. */
  public static boolean anyOpen(Handle handle, String rollout) {
    return Sql.yes(
        handle,
        """
        SELECT EXISTS (SELECT FROM host_upgrades
                       WHERE rollout = :rollout AND state IN ('Pending', 'InProgress'))
        """,
        Map.of("rollout", rollout));
  }

  /** Shows which step a host is at. */
  public static void step(Handle handle, String grant, String host, String step) {
    Sql.update(
        handle,
        """
        UPDATE host_upgrades SET step = :step
        WHERE grant_id = :grant AND host = :host AND state = 'InProgress'
          AND step IS DISTINCT FROM :step
        """,
        Map.of("step", step, "grant", grant, "host", host));
  }

  /** Shows why hosts under way wait; empty once they do not. */
  public static void says(Handle handle, String grant, List<String> hosts, String reason) {
    Sql.update(
        handle,
        """
        UPDATE host_upgrades SET reason = :reason
        WHERE grant_id = :grant AND host = ANY(:hosts) AND state = 'InProgress'
        """,
        Map.of("reason", reason, "grant", grant, "hosts", hosts));
  }

  /** A host is to be quarantined, and stays so: its lock may be a quarantine from now on. */
  public static void condemn(Handle handle, String grant, String host, String reason) {
    Sql.update(
        handle,
        """
        UPDATE host_upgrades SET condemned = :reason
        WHERE grant_id = :grant AND host = :host AND state = 'InProgress'
        """,
        Map.of("reason", reason, "grant", grant, "host", host));
  }

  /** A host reaches a final state, Quarantined, Reverted, Skipped or Upgraded, with the reason. */
  public static void finish(Handle handle, String grant, String host, String state, String reason) {
    Sql.update(
        handle,
        """
        UPDATE host_upgrades
        SET state = :state, reason = :reason, ended_at = clock_timestamp(),
            step = CASE WHEN :state = 'Quarantined' THEN step ELSE 'End' END
        WHERE grant_id = :grant AND host = :host AND state = 'InProgress'
        """,
        Map.of("state", state, "reason", reason, "grant", grant, "host", host));
  }

  /**
   * From now on what is done to hosts of the grant is about the release they had before, or about
   * that of their rollout again.
   */
  public static void goBack(Handle handle, String grant, String host, boolean back) {
    Sql.update(
        handle,
        """
        UPDATE host_upgrades SET back_to = CASE WHEN :back THEN release_before END
        WHERE grant_id = :grant AND host = :host
        """,
        Map.of("back", back, "grant", grant, "host", host));
  }

  /**
   * A host that is given back is pending again, with the age of its first turn, but not before a
   * back-off that doubles with each time it was given back in this rollout: 5 s at first, 5 min at
   * most.
   */
  public static void backOff(Handle handle, GrantRow grant, String host, String reason) {
    Sql.update(
        handle,
        """
        UPDATE host_upgrades
        SET state = 'Pending', step = NULL, grant_id = NULL, reason = :reason,
            requeued_times = requeued_times + 1,
            not_before = clock_timestamp()
              + make_interval(secs => LEAST(300, 5 * 2 ^ LEAST(10, requeued_times)))
        WHERE grant_id = :grant AND host = :host AND state = 'InProgress'
        """,
        Map.of("reason", reason, "host", host, "grant", grant.id()));
  }
}
