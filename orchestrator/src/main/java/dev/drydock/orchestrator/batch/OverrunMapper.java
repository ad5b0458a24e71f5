package dev.drydock.orchestrator.batch;

import dev.drydock.impact.core.LateDrain.Way;
import dev.drydock.orchestrator.core.model.DrainOverrun;
import dev.drydock.orchestrator.core.model.DrainOverrun.Decided;
import dev.drydock.orchestrator.core.model.DrainOverrun.Decision;
import dev.drydock.orchestrator.core.model.DrainOverrun.Pace;
import dev.drydock.orchestrator.core.model.Word;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;

/** Hosts of a batch that were not drained in time, and what became of that. */
final class OverrunMapper implements RowMapper<DrainOverrun> {
  static final String COLUMNS =
      """
      SELECT number, jobs, hosts, way, pace, says, remind_seconds, remind_at, expires_at, decision,
             decided_by, decided_reason, COALESCE(open_round, 0) AS open_round
      FROM late_drains
      """;

  static final String SQL = COLUMNS + "WHERE grant_id = :grant ORDER BY number";

  @Override
  public DrainOverrun map(ResultSet row, StatementContext context) throws SQLException {
    return new DrainOverrun(
        row.getInt("number"),
        Cells.texts(row, "jobs"),
        Cells.texts(row, "hosts"),
        Way.valueOf(row.getString("way").toUpperCase(Locale.ROOT)),
        Word.of(Pace.class, row.getString("pace")),
        row.getString("says"),
        Duration.ofSeconds(row.getInt("remind_seconds")),
        Cells.time(row, "remind_at"),
        Cells.time(row, "expires_at"),
        decided(row),
        row.getInt("open_round"));
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
