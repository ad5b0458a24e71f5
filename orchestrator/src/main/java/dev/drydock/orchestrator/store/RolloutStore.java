package dev.drydock.orchestrator.store;

import dev.drydock.api.HostUpgrade;
import dev.drydock.api.Rollout;
import dev.drydock.platform.store.Columns;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.Page;
import dev.drydock.platform.store.PageRequest;
import dev.drydock.platform.store.Sql;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Rollouts and their host upgrades, to be read. Safe for use by many threads. */
public final class RolloutStore {
  private static final String COUNTS =
      """
      CROSS JOIN LATERAL (
        SELECT count(*) AS hosts,
               count(*) FILTER (WHERE u.state = 'Pending') AS pending,
               count(*) FILTER (WHERE u.state = 'InProgress') AS in_progress,
               count(*) FILTER (WHERE u.state = 'Upgraded') AS upgraded,
               count(*) FILTER (WHERE u.state = 'Skipped') AS skipped,
               count(*) FILTER (WHERE u.state = 'Reverted') AS reverted,
               count(*) FILTER (WHERE u.state = 'Quarantined') AS quarantined,
               count(*) FILTER (WHERE u.state = 'Cancelled') AS cancelled
        FROM host_upgrades u WHERE u.rollout = r.id) c
      """;

  private static final String CANARIES =
      """
      (SELECT COALESCE(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
                'policy', g.policy, 'version', g.version, 'hosts', g.hosts,
                'soakSeconds', g.soak_seconds, 'says', g.says,
                'passedAt', CAST(extract(epoch FROM g.passed_at) * 1000 AS bigint)))
              ORDER BY g.policy), '[]')
       FROM canary_gates g WHERE g.rollout = r.id)
      """;

  private static final String ORIGIN =
      """
      CASE WHEN r.origin IS NOT NULL
           THEN jsonb_build_object('kind', r.origin, 'rollout', r.origin_rollout) END
      """;

  private static final Columns<Rollout> ROLLOUTS =
      Columns.of(Rollout.class, "rollouts r")
          .named(
              "r",
              "id release mode state reason requester team createdAt endedAt "
                  + "priority startAt changeTicket selector stateBy stateReason")
          .field("origin", ORIGIN)
          .field("canaries", CANARIES)
          .join(COUNTS)
          .field("hostCount", "c.hosts")
          .named("c", "pending inProgress upgraded skipped reverted quarantined cancelled")
          .complete("hosts", "requestId", "plan");

  private static final Columns<HostUpgrade> HOST_UPGRADES =
      Columns.of(HostUpgrade.class, "host_upgrades u")
          .named("u", "rollout host state step")
          .field("grant", "u.grant_id")
          .field("reason", "reason_now(u)")
          .named("u", "startedAt endedAt facts")
          .complete();

  private final Jdbi jdbi;

  public RolloutStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  public Optional<Rollout> find(String id, FieldMask fieldMask) {
    return jdbi.withHandle(handle -> find(handle, id, fieldMask));
  }

  /** For a reader that wants more of the same moment. */
  public static Optional<Rollout> find(Handle handle, String id, FieldMask fieldMask) {
    return ROLLOUTS.select(fieldMask).where("r.id = :id").bind("id", id).first(handle);
  }

  /** Newest first. */
  public Page<Rollout> page(PageRequest pageRequest, FieldMask fieldMask) {
    return ROLLOUTS.select(fieldMask).orderBy("r.number DESC").page(jdbi, pageRequest);
  }

  /** The hosts of a rollout, as submitted. */
  public Page<HostUpgrade> hosts(String rollout, PageRequest pageRequest, FieldMask fieldMask) {
    return HOST_UPGRADES
        .select(fieldMask)
        .where("u.rollout = :rollout")
        .orderBy("u.position")
        .bind("rollout", rollout)
        .page(jdbi, pageRequest);
  }

  /** Ids of rollouts that have not ended, oldest first. */
  public List<String> open() {
    return Sql.texts(
        jdbi, "SELECT id FROM rollouts WHERE ended_at IS NULL ORDER BY number", Map.of());
  }

  /** Hosts of rollouts that have not ended by state, for the metric. */
  public Map<String, Long> hostsOfOpenRollouts() {
    return Sql.byName(
        jdbi,
        Long.class,
        """
        SELECT u.state, count(*) AS hosts
        FROM host_upgrades u JOIN rollouts r ON r.id = u.rollout
        WHERE r.ended_at IS NULL GROUP BY u.state
        """,
        Map.of());
  }
}
