package dev.drydock.orchestrator.batch;

import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.core.model.NamedConstant;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.core.model.Remediation.Taken;
import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.Step;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;

/** Remediations of a batch, with what was done. */
final class RemediationMapper implements RowMapper<Remediation> {
  static final String SQL =
      """
      SELECT r.host, r.step, r.ladder, r.approve, r.on_unknown, r.reason, r.state, r.says, r.went_back,
             r.began_at, r.ended_at,
             COALESCE(array_agg(s.action ORDER BY s.number) FILTER (WHERE s.job IS NOT NULL), '{}')
               AS actions,
             COALESCE(array_agg(COALESCE(s.rung, -1) ORDER BY s.number)
                        FILTER (WHERE s.job IS NOT NULL), '{}') AS rungs,
             COALESCE(array_agg(s.job ORDER BY s.number) FILTER (WHERE s.job IS NOT NULL), '{}')
               AS jobs
      FROM remediations r
      LEFT JOIN remediation_steps s
        ON s.grant_id = r.grant_id AND s.host = r.host AND s.step = r.step
      WHERE r.grant_id = :grant
      GROUP BY r.grant_id, r.host, r.step ORDER BY r.began_at, r.host, r.step
      """;

  @Override
  public Remediation map(ResultSet row, StatementContext context) throws SQLException {
    return new Remediation(
        row.getString("host"),
        NamedConstant.of(Step.class, row.getString("step")),
        new Ladder(
            rungs(row, "ladder"),
            Set.copyOf(rungs(row, "approve")),
            Set.copyOf(rungs(row, "on_unknown"))),
        row.getString("reason"),
        NamedConstant.of(Remediation.State.class, row.getString("state")),
        row.getString("says"),
        row.getBoolean("went_back"),
        ColumnReader.time(row, "began_at"),
        ColumnReader.maybeTime(row, "ended_at"),
        taken(row));
  }

  private static List<Rung> rungs(ResultSet row, String column) throws SQLException {
    return ColumnReader.texts(row, column).stream().map(Rung::of).toList();
  }

  private static List<Taken> taken(ResultSet row) throws SQLException {
    List<String> actions = ColumnReader.texts(row, "actions");
    List<String> jobs = ColumnReader.texts(row, "jobs");
    Integer[] rungs = (Integer[]) row.getArray("rungs").getArray();
    List<Taken> taken = new ArrayList<>();
    for (int i = 0; i < rungs.length; i++) {
      OptionalInt rung = rungs[i] < 0 ? OptionalInt.empty() : OptionalInt.of(rungs[i]);
      taken.add(new Taken(NamedConstant.of(RepairAction.class, actions.get(i)), rung, jobs.get(i)));
    }
    return taken;
  }
}
