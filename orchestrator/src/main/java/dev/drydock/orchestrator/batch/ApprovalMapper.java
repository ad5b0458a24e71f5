package dev.drydock.orchestrator.batch;

import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.core.model.RepairApproval;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.model.Word;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;

/** Rungs that people were asked to approve. */
final class ApprovalMapper implements RowMapper<RepairApproval> {
  static final String SQL =
      """
      SELECT host, step, rung, found, remind_at, expires_at, answer FROM repair_approvals
      WHERE grant_id = :grant ORDER BY asked_at, id
      """;

  @Override
  public RepairApproval map(ResultSet row, StatementContext context) throws SQLException {
    return new RepairApproval(
        row.getString("host"),
        Word.of(Step.class, row.getString("step")),
        Rung.of(row.getString("rung")),
        row.getString("found"),
        Cells.time(row, "remind_at"),
        Cells.time(row, "expires_at"),
        Cells.text(row, "answer").map("Approve"::equals));
  }
}
