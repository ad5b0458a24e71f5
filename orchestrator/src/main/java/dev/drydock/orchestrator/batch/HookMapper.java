package dev.drydock.orchestrator.batch;

import dev.drydock.impact.core.PolicyHook.Scope;
import dev.drydock.impact.core.PolicyHook.Stage;
import dev.drydock.orchestrator.core.model.BatchHook;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;

/** Hooks that were written down for a batch. */
final class HookMapper implements RowMapper<BatchHook> {
  static final String SQL =
      """
      SELECT number, name, stage, scope, target, hosts, instances, ordinal, policy, policy_version,
             team, params, timeout_seconds, pre
      FROM batch_hooks WHERE grant_id = :grant ORDER BY number
      """;

  @Override
  public BatchHook map(ResultSet row, StatementContext context) throws SQLException {
    return new BatchHook(
        row.getInt("number"),
        row.getString("name"),
        Stage.of(row.getString("stage")),
        Scope.valueOf(row.getString("scope").toUpperCase(Locale.ROOT)),
        row.getString("target"),
        ColumnReader.texts(row, "hosts"),
        ColumnReader.texts(row, "instances"),
        row.getInt("ordinal"),
        new BatchHook.Source(
            row.getString("policy"), row.getInt("policy_version"), row.getString("team")),
        ColumnReader.object(row, "params"),
        Duration.ofSeconds(row.getInt("timeout_seconds")),
        Optional.ofNullable(row.getObject("pre", Integer.class)));
  }
}
