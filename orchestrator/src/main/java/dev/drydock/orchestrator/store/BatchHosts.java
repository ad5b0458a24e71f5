package dev.drydock.orchestrator.store;

import java.util.List;
import java.util.Optional;
import java.util.Set;
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

  /** Whether a host of the grant stays behind for people to look after. */
  public static boolean anyQuarantined(Handle handle, String grant) {
    return handle
        .createQuery(
            """
            SELECT EXISTS (SELECT FROM host_upgrades
                           WHERE grant_id = :grant AND state = 'Quarantined')
            """)
        .bind("grant", grant)
        .mapTo(Boolean.class)
        .one();
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

  /** Shows which step the hosts are at. */
  public static void step(Handle handle, String grant, String step) {
    handle
        .createUpdate(
            """
            UPDATE host_upgrades SET step = :step WHERE grant_id = :grant AND state = 'InProgress'
            """)
        .bind("step", step)
        .bind("grant", grant)
        .execute();
  }

  /** Shows which step one of them is at. */
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

  /** The release a host of the grant was taken back to amid its upgrade. */
  public static Optional<String> backTo(Handle handle, String grant, String host) {
    return handle
        .createQuery(
            "SELECT back_to FROM host_upgrades WHERE grant_id = :grant AND host = :host AND back_to IS NOT NULL")
        .bind("grant", grant)
        .bind("host", host)
        .mapTo(String.class)
        .findOne();
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
   * Those of the hosts whose packages could go back: what they had is a release of the catalogue
   * and not that of their rollout, which updates packages.
   */
  public static Set<String> returnable(Handle handle, String grant, Set<String> hosts) {
    return handle
        .createQuery(
            """
            SELECT u.host FROM host_upgrades u
            JOIN rollouts r ON r.id = u.rollout
            JOIN releases s ON s.name = u.release_before
            WHERE u.grant_id = :grant AND u.host = ANY(:hosts)
              AND u.release_before <> r.release AND r.mode = 'PackageUpdate'
            """)
        .bind("grant", grant)
        .bindArray("hosts", String.class, hosts)
        .mapTo(String.class)
        .set();
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
