package dev.drydock.orchestrator.store;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.proto.Json;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Rollouts and their host upgrades, to be read and finished. Safe for use by many threads. */
public final class RolloutStore {
  private static final String ROLLOUTS =
      """
      SELECT r.id, r.release, r.mode, r.state, r.reason, r.requester, r.team, r.created_at, r.ended_at,
             (SELECT COALESCE(jsonb_object_agg(c.state, c.hosts), '{}')
              FROM (SELECT state, count(*) AS hosts FROM host_upgrades
                    WHERE rollout = r.id GROUP BY state) c) AS counts
      FROM rollouts r
      """;

  private final Jdbi jdbi;
  private final Transactor transactor;

  public RolloutStore(Jdbi jdbi) {
    this.jdbi = jdbi;
    this.transactor = new Transactor(jdbi);
  }

  public Optional<RolloutRow> find(String id) {
    return jdbi.withHandle(handle -> find(handle, id));
  }

  /** For a reader that wants more of the same moment. */
  public static Optional<RolloutRow> find(Handle handle, String id) {
    return handle
        .createQuery(ROLLOUTS + " WHERE r.id = :id")
        .bind("id", id)
        .map((row, context) -> rollout(row))
        .findOne();
  }

  /** Newest first. */
  public List<RolloutRow> list(int start, int count) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(ROLLOUTS + " ORDER BY r.number DESC OFFSET :start LIMIT :count")
                .bind("start", start)
                .bind("count", count)
                .map((row, context) -> rollout(row))
                .list());
  }

  /** The hosts of a rollout, as submitted. */
  public List<HostUpgradeRow> hosts(String rollout, int start, int count) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT rollout, host, state, step, grant_id, reason, facts, started_at, ended_at
                    FROM host_upgrades WHERE rollout = :rollout
                    ORDER BY position OFFSET :start LIMIT :count
                    """)
                .bind("rollout", rollout)
                .bind("start", start)
                .bind("count", count)
                .map((row, context) -> host(row))
                .list());
  }

  /** Ids of rollouts that have not ended, oldest first. */
  public List<String> running() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT id FROM rollouts WHERE state = 'Running' ORDER BY number")
                .mapTo(String.class)
                .list());
  }

  /** Hosts of running rollouts by state, for the metric. */
  public Map<String, Long> hostsOfRunningRollouts() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT u.state, count(*) AS hosts
                    FROM host_upgrades u JOIN rollouts r ON r.id = u.rollout
                    WHERE r.state = 'Running' GROUP BY u.state
                    """)
                .reduceRows(
                    new HashMap<String, Long>(),
                    (counts, row) -> {
                      counts.put(
                          row.getColumn("state", String.class), row.getColumn("hosts", Long.class));
                      return counts;
                    }));
  }

  /**
   * Ends the rollout when none of its hosts is pending or in progress: Succeeded if all upgraded or
   * needed nothing, else Degraded.
   *
   * @return whether it has ended, now or earlier
   */
  public boolean finishIfDone(String id) {
    return transactor.call(
        handle -> {
          String state =
              handle
                  .createQuery("SELECT state FROM rollouts WHERE id = :id FOR NO KEY UPDATE")
                  .bind("id", id)
                  .mapTo(String.class)
                  .findOne()
                  .orElseThrow(() -> new IllegalArgumentException("there is no rollout " + id));
          return !state.equals("Running") || finish(handle, id);
        });
  }

  private static boolean finish(Handle handle, String id) {
    Optional<String> outcome =
        handle
            .createQuery(
                """
                SELECT CASE WHEN bool_and(state IN ('Upgraded', 'Skipped')) THEN 'Succeeded'
                            ELSE 'Degraded' END
                FROM host_upgrades WHERE rollout = :id
                HAVING bool_and(state NOT IN ('Pending', 'InProgress'))
                """)
            .bind("id", id)
            .mapTo(String.class)
            .findOne();
    outcome.ifPresent(
        state -> {
          handle
              .createUpdate(
                  "UPDATE rollouts SET state = :state, ended_at = clock_timestamp() WHERE id = :id")
              .bind("state", state)
              .bind("id", id)
              .execute();
        });
    return outcome.isPresent();
  }

  private static RolloutRow rollout(ResultSet row) throws SQLException {
    Map<HostUpgradeState, Integer> counts = new EnumMap<>(HostUpgradeState.class);
    Json.readTree(row.getString("counts"))
        .forEach(
            (state, hosts) ->
                counts.put(HostUpgradeState.valueOf(state), ((Number) hosts).intValue()));
    return new RolloutRow(
        row.getString("id"),
        row.getString("release"),
        row.getString("mode"),
        row.getString("state"),
        row.getString("reason"),
        row.getString("requester"),
        row.getString("team"),
        counts,
        row.getTimestamp("created_at").toInstant(),
        instant(row, "ended_at"));
  }

  private static HostUpgradeRow host(ResultSet row) throws SQLException {
    return new HostUpgradeRow(
        row.getString("rollout"),
        row.getString("host"),
        row.getString("state"),
        Optional.ofNullable(row.getString("step")),
        Optional.ofNullable(row.getString("grant_id")),
        row.getString("reason"),
        row.getString("facts"),
        instant(row, "started_at"),
        instant(row, "ended_at"));
  }

  private static Optional<Instant> instant(ResultSet row, String column) throws SQLException {
    return Optional.ofNullable(row.getTimestamp(column)).map(Timestamp::toInstant);
  }
}
