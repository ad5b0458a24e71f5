package dev.drydock.orchestrator.batch;

import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.NamedConstant;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;

/** The latest round of each check of a batch. */
final class CheckMapper implements RowMapper<Check> {
  static final String SQL =
      """
      SELECT DISTINCT ON (kind) kind, round, state, COALESCE(evidence->>'reason', '') AS reason,
             created_at
      FROM checks WHERE grant_id = :grant ORDER BY kind, round DESC
      """;

  @Override
  public Check map(ResultSet row, StatementContext context) throws SQLException {
    return new Check(
        Check.Kind.valueOf(row.getString("kind").toUpperCase(Locale.ROOT)),
        row.getInt("round"),
        NamedConstant.of(Check.Verdict.class, row.getString("state")),
        row.getString("reason"),
        ColumnReader.time(row, "created_at"));
  }
}
