package dev.drydock.auditor;

import dev.drydock.auditor.core.BatchCheck;
import dev.drydock.auditor.core.LockEntry;
import dev.drydock.auditor.core.LoggedEvent;
import dev.drydock.auditor.core.LoggedGrant;
import dev.drydock.auditor.core.LoggedHook;
import dev.drydock.auditor.core.LoggedHostUpgrade;
import dev.drydock.auditor.core.LoggedJob;
import dev.drydock.auditor.core.LoggedRolloutChange;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The rows of the logs as the records of the core. In the transaction of the handle. */
final class LogRows {
  private final Handle handle;

  LogRows(Handle handle) {
    this.handle = handle;
  }

  /**
   * Some hosts of a rollout.
   *
   * @param last the place of the last of them
   */
  record Hosts(List<LoggedHostUpgrade> upgrades, int last) {}

  Hosts hosts(String rollout, int after, int limit) {
    int[] last = {after};
    List<LoggedHostUpgrade> upgrades =
        handle
            .createQuery(
                """
                SELECT host, state, reason, grant_id, position FROM host_upgrades
                WHERE rollout = :rollout AND position > :after ORDER BY position LIMIT :limit
                """)
            .bind("rollout", rollout)
            .bind("after", after)
            .bind("limit", limit)
            .map(
                (row, _) -> {
                  last[0] = row.getInt("position");
                  return upgrade(row);
                })
            .list();
    return new Hosts(upgrades, last[0]);
  }

  List<LoggedHostUpgrade> hosts(String rollout, Set<String> hosts) {
    return handle
        .createQuery(
            """
            SELECT host, state, reason, grant_id FROM host_upgrades
            WHERE rollout = :rollout AND host = ANY(:hosts) ORDER BY position
            """)
        .bind("rollout", rollout)
        .bindArray("hosts", String.class, List.copyOf(hosts))
        .map((row, _) -> upgrade(row))
        .list();
  }

  private static LoggedHostUpgrade upgrade(ResultSet row) throws SQLException {
    return new LoggedHostUpgrade(
        row.getString("host"),
        row.getString("state"),
        row.getString("reason"),
        Optional.ofNullable(row.getString("grant_id")));
  }

  List<String> grantedWith(String rollout, Set<String> hosts) {
    return handle
        .createQuery(
            """
            SELECT DISTINCT unnest(hosts) FROM grants
            WHERE hosts && CAST(:hosts AS text[]) AND rollout = :rollout
            """)
        .bind("rollout", rollout)
        .bindArray("hosts", String.class, List.copyOf(hosts))
        .mapTo(String.class)
        .list();
  }

  /** Those of the rollout that have one of the hosts as their first. */
  List<LoggedGrant> grants(String rollout, Collection<String> hosts) {
    return handle
        .createQuery(
            """
            SELECT id, hosts, state, epoch, COALESCE(hold_revision, 0) AS revision, blind, undo,
                   created_at, ended_at, hold_ended_at
            FROM grants
            WHERE hosts && CAST(:hosts AS text[]) AND hosts[1] = ANY(:hosts) AND rollout = :rollout
            ORDER BY created_at, id
            """)
        .bind("rollout", rollout)
        .bindArray("hosts", String.class, hosts)
        .map(
            (row, _) ->
                new LoggedGrant(
                    row.getString("id"),
                    texts(row, "hosts"),
                    row.getString("state"),
                    row.getLong("epoch"),
                    row.getLong("revision"),
                    row.getBoolean("blind"),
                    Optional.ofNullable(row.getString("undo")),
                    row.getTimestamp("created_at").toInstant(),
                    time(row, "ended_at"),
                    time(row, "hold_ended_at")))
        .list();
  }

  List<BatchCheck> checks(Collection<String> grants) {
    return handle
        .createQuery(
            """
            SELECT grant_id, kind, round, state, COALESCE(decided_event, 0) AS decided FROM checks
            WHERE grant_id = ANY(:grants) ORDER BY created_at
            """)
        .bindArray("grants", String.class, grants)
        .map(
            (row, _) ->
                new BatchCheck(
                    row.getString("grant_id"),
                    row.getString("kind"),
                    row.getInt("round"),
                    row.getString("state"),
                    row.getLong("decided")))
        .list();
  }

  List<LoggedJob> jobs(Collection<String> grants) {
    return handle
        .createQuery(
            """
            SELECT id, grant_id, step, host, round, COALESCE(hook, 0) AS hook,
                   COALESCE(spec->>'repair', '') AS repair,
                   CASE WHEN hook IS NULL THEN ARRAY[host]
                        ELSE ARRAY(SELECT jsonb_array_elements_text(spec->'hook'->'hosts')) END AS about,
                   state, attempt, created_at, ended_at,
                   result->>'begun' AS begun
            FROM jobs WHERE grant_id = ANY(:grants) ORDER BY host, round, step
            """)
        .bindArray("grants", String.class, grants)
        .map(
            (row, _) ->
                new LoggedJob(
                    row.getString("id"),
                    row.getString("grant_id"),
                    row.getString("step"),
                    row.getString("host"),
                    row.getInt("round"),
                    row.getInt("hook"),
                    row.getString("repair"),
                    texts(row, "about"),
                    row.getString("state"),
                    row.getInt("attempt"),
                    row.getTimestamp("created_at").toInstant(),
                    time(row, "ended_at"),
                    Optional.ofNullable(row.getString("begun")).map(Boolean::valueOf)))
        .list();
  }

  List<LoggedHook> hooks(Collection<String> grants) {
    return handle
        .createQuery(
            """
            SELECT grant_id, number, name, stage, hosts, ordinal, pre FROM batch_hooks
            WHERE grant_id = ANY(:grants) ORDER BY grant_id, number
            """)
        .bindArray("grants", String.class, grants)
        .map(
            (row, _) ->
                new LoggedHook(
                    row.getString("grant_id"),
                    row.getInt("number"),
                    row.getString("name"),
                    row.getString("stage"),
                    texts(row, "hosts"),
                    row.getInt("ordinal"),
                    Optional.of(row.getInt("pre")).filter(pre -> pre != 0)))
        .list();
  }

  /** In the order of writing, those included that have no number yet. */
  List<LoggedEvent> events(String rollout, Collection<String> hosts) {
    return handle
        .createQuery(
            """
            SELECT id, at, kind, host, COALESCE(data->>'grant', '') AS grant_id,
                   COALESCE(data->>'job', '') AS job, COALESCE(data->>'attempt', '0') AS attempt,
                   COALESCE(data->>'state', '') AS state
            FROM events WHERE rollout = :rollout AND host = ANY(:hosts) ORDER BY id
            """)
        .bind("rollout", rollout)
        .bindArray("hosts", String.class, hosts)
        .map(
            (row, _) ->
                new LoggedEvent(
                    row.getLong("id"),
                    row.getTimestamp("at").toInstant(),
                    row.getString("kind"),
                    row.getString("host"),
                    row.getString("grant_id"),
                    row.getString("job"),
                    Integer.parseInt(row.getString("attempt")),
                    row.getString("state")))
        .list();
  }

  /** After which rollouts ask for these hosts, or do so no more; in the order of writing. */
  List<LoggedRolloutChange> changes(Collection<String> rollouts, Collection<String> hosts) {
    return handle
        .createQuery(
            """
            SELECT rollout, COALESCE(host, '') AS host, at, kind, COALESCE(data->>'state', '') AS state
            FROM events
            WHERE rollout = ANY(:rollouts)
              AND (host IS NULL
                   AND kind IN ('RolloutChanged', 'RolloutEnded', 'CohortHalted', 'CohortsReleased')
                   OR host = ANY(:hosts) AND kind = 'HostUpgradeChanged'
                   AND data->>'state' = 'Cancelled')
            ORDER BY id
            """)
        .bindArray("rollouts", String.class, rollouts)
        .bindArray("hosts", String.class, hosts)
        .map(
            (row, _) ->
                new LoggedRolloutChange(
                    row.getString("rollout"),
                    row.getString("host"),
                    row.getTimestamp("at").toInstant(),
                    row.getString("kind"),
                    row.getString("state")))
        .list();
  }

  /** What was written of any lock on the hosts, ends before grants of one revision. */
  List<LockEntry> locks(Collection<String> hosts) {
    return handle
        .createQuery(
            """
            SELECT epoch, revision, ordinal, at, what, lock_id, kind, hosts, by, reason, rollout,
                   granted_at, last_event
            FROM lock_history WHERE hosts && CAST(:hosts AS text[]) OR what = 'Gap'
            ORDER BY epoch, revision, what <> 'Ended', ordinal
            """)
        .bindArray("hosts", String.class, hosts)
        .map(
            (row, _) ->
                new LockEntry(
                    row.getLong("epoch"),
                    row.getLong("revision"),
                    row.getInt("ordinal"),
                    row.getTimestamp("at").toInstant(),
                    row.getString("what"),
                    row.getString("lock_id"),
                    row.getString("kind"),
                    texts(row, "hosts"),
                    row.getString("by"),
                    row.getString("reason"),
                    Optional.ofNullable(row.getString("rollout")),
                    time(row, "granted_at"),
                    lastEvent(row)))
        .list();
  }

  private static List<String> texts(ResultSet row, String column) throws SQLException {
    return List.of((String[]) row.getArray(column).getArray());
  }

  private static OptionalLong lastEvent(ResultSet row) throws SQLException {
    long event = row.getLong("last_event");
    return row.wasNull() ? OptionalLong.empty() : OptionalLong.of(event);
  }

  private static Optional<Instant> time(ResultSet row, String column) throws SQLException {
    @Nullable Timestamp at = row.getTimestamp(column);
    return Optional.ofNullable(at).map(Timestamp::toInstant);
  }
}
