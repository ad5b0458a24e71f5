package dev.drydock.orchestrator.batch;

import dev.drydock.orchestrator.core.model.BatchHost;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;

/** Hosts that are still in a batch, with what policies say of what runs there. */
record HostMapper(PoliciesInForce policies) implements RowMapper<BatchHost> {
  static final String SQL =
      """
      SELECT u.host, h.scheduler, h.release = r.release OR u.read_first AS seems_done,
             COALESCE(u.step, '') AS step, u.reason, u.back_to,
             CASE WHEN u.release_before <> r.release AND r.mode = 'PackageUpdate' THEN s.name END
               AS returns_to,
             applications_on(u.host) AS applications, u.condemned,
             COALESCE(u.superseded_by, '') AS superseded,
             (SELECT CASE WHEN count(*) FILTER (WHERE i.health = 'Unhealthy') > 0
                          THEN count(*) FILTER (WHERE i.health = 'Unhealthy') || ' of ' || count(*)
                               || ' instances are down' ELSE '' END
              FROM instances i WHERE i.host = u.host AND i.vanished_at IS NULL) AS down
      FROM host_upgrades u
      JOIN hosts h ON h.name = u.host
      JOIN rollouts r ON r.id = u.rollout
      LEFT JOIN releases s ON s.name = u.release_before
      WHERE u.grant_id = :grant AND u.state = 'InProgress' ORDER BY u.host
      """;

  @Override
  public BatchHost map(ResultSet row, StatementContext context) throws SQLException {
    Set<String> applications = Set.copyOf(ColumnReader.texts(row, "applications"));
    return new BatchHost(
        row.getString("host"),
        row.getString("scheduler"),
        row.getBoolean("seems_done"),
        row.getString("step"),
        row.getString("reason"),
        ColumnReader.text(row, "back_to"),
        ColumnReader.text(row, "returns_to"),
        policies.drain(applications),
        policies.ladder(applications),
        new BatchHost.Known(row.getString("superseded"), row.getString("down")),
        ColumnReader.text(row, "condemned"));
  }
}
