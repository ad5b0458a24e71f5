package dev.drydock.orchestrator.batch;

import dev.drydock.orchestrator.core.model.HostFailure;
import dev.drydock.orchestrator.core.model.HostFailure.Decided;
import dev.drydock.orchestrator.core.model.HostFailure.Decision;
import dev.drydock.orchestrator.core.model.Word;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;

/** Hosts of a batch that failed, and what became of that. */
final class FailureMapper implements RowMapper<HostFailure> {
  static final String COLUMNS =
      """
      SELECT number, step, jobs, reasons, goes_back, decision, decided_by, decided_reason
      FROM blocked_batches
      """;

  static final String SQL = COLUMNS + "WHERE grant_id = :grant ORDER BY number";

  @Override
  public HostFailure map(ResultSet row, StatementContext context) throws SQLException {
    return new HostFailure(
        row.getInt("number"),
        row.getString("step"),
        Cells.texts(row, "jobs"),
        Cells.object(row, "reasons"),
        row.getBoolean("goes_back"),
        decided(row));
  }

  private static Optional<Decided> decided(ResultSet row) throws SQLException {
    String decision = row.getString("decision");
    return decision == null
        ? Optional.empty()
        : Optional.of(
            new Decided(
                Word.of(Decision.class, decision),
                row.getString("decided_by"),
                row.getString("decided_reason")));
  }
}
