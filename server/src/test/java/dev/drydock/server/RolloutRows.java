package dev.drydock.server;

import java.util.List;
import org.jdbi.v3.core.Handle;

/** Rows of rollouts and batches that a story reads, writes itself, or falsifies. */
final class RolloutRows {
  /** Two hooks of the last stage, each with the place of the other. */
  static final String HOOKS_IN_WRONG_ORDER =
      "UPDATE batch_hooks SET ordinal = 3 - ordinal WHERE stage = 'AfterDeploy'";

  private RolloutRows() {}

  /** The first hook of a host as one that asked to be asked again and never was. */
  static String hookNeverDone(String hook, String host) {
    return """
        UPDATE events SET kind = 'JobWaited' WHERE kind = 'JobDone' AND host = '%s'
          AND data->>'job' IN (
            SELECT id FROM jobs j JOIN batch_hooks b ON b.grant_id = j.grant_id AND b.number = j.hook
            WHERE b.name = '%s' AND b.stage = 'BeforeUndeploy')
        """
        .formatted(host, hook);
  }

  /** What was to take back a hook of the host as a job that failed. */
  static String notTakenBack(String host) {
    return "UPDATE jobs SET state = 'Failed' WHERE step = 'Unhook' AND host = '" + host + "'";
  }

  /** A hook that turned the host back as one that nobody ever had. */
  static String neverBegun(String host) {
    return "UPDATE jobs SET attempt = 0 WHERE step = 'Hook' AND state = 'Vetoed' AND host = '"
        + host
        + "'";
  }

  /** A rollout that runs. */
  static void rollout(Handle handle, String id) {
    handle.execute(
        "INSERT INTO releases (name, spec, created_by) VALUES ('2', '{}', 'test')"
            + " ON CONFLICT DO NOTHING");
    handle.execute(
        "INSERT INTO rollouts (id, release, mode, state, reason, requester, team)"
            + " VALUES (?, '2', 'PackageUpdate', 'Running', 'test', 'sre', 'sre')",
        id);
  }

  /** A new host that waits in a rollout. */
  static void host(Handle handle, String rollout, String host, int position) {
    handle.execute(
        "INSERT INTO hosts (name, address, scheduler, hardware_class, source, observed_at)"
            + " VALUES (?, '10.0.0.1', 'static', 'default', 'static', clock_timestamp())",
        host);
    handle.execute(
        "INSERT INTO host_upgrades (rollout, host, position, batch, state) VALUES (?, ?, ?, 0, 'Pending')",
        rollout,
        host,
        position);
  }

  /** A host comes to a step. */
  static void reaches(Handle handle, String rollout, String host, String step) {
    handle.execute(
        "UPDATE host_upgrades SET state = 'InProgress', step = ? WHERE rollout = ? AND host = ?",
        step,
        rollout,
        host);
  }

  /** A rollout ends well. */
  static void ends(Handle handle, String rollout) {
    handle.execute(
        "UPDATE rollouts SET state = 'Succeeded', ended_at = clock_timestamp() WHERE id = ?",
        rollout);
  }

  /** Grants whose hold may yet be there. */
  static List<String> holds(Handle handle) {
    return handle
        .createQuery("SELECT id FROM grants WHERE hold_ended_at IS NULL AND state <> 'void'")
        .mapTo(String.class)
        .list();
  }

  /** Rollouts that brought a quarantined host back, and ended so. */
  static List<String> returns(Handle handle, String host, String end) {
    return handle
        .createQuery(
            """
            SELECT u.rollout FROM host_upgrades u
            JOIN impounds i ON i.lock_id = u.grant_id AND i.host = u.host
            WHERE u.host = :host AND u.state = :end AND i.kind = 'BATCH'
            """)
        .bind("host", host)
        .bind("end", end)
        .mapTo(String.class)
        .list();
  }

  /** All jobs of these, as STEP STATE, in their order. */
  static List<String> jobsOfReturns(Handle handle, String host) {
    return handle
        .createQuery(
            """
            SELECT j.step || ' ' || j.state FROM jobs j JOIN impounds i ON i.lock_id = j.grant_id
            WHERE i.host = :host AND i.kind = 'BATCH' ORDER BY j.grant_id, j.round
            """)
        .bind("host", host)
        .mapTo(String.class)
        .list();
  }
}
