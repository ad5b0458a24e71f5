package dev.drydock.orchestrator.batch;

import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.BatchJob.DrainLeft;
import dev.drydock.orchestrator.core.model.BatchJob.Told;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Mend;
import dev.drydock.orchestrator.core.model.NamedConstant;
import dev.drydock.orchestrator.core.model.Step;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;

/** Jobs of a batch. Of what is bulky they are read without what no decision asks for. */
final class JobMapper implements RowMapper<BatchJob> {
  static final String SQL =
      """
      SELECT id, step, host, round, run, topic, state, attempt,
             COALESCE(result->'objection'->>'reason', result->>'message', '') AS message,
             COALESCE(hook, 0) AS hook,
             COALESCE(CAST(result->'objection'->>'hold' AS boolean), false) AS held,
             CASE WHEN step = 'Repair' THEN spec->>'repair' END AS repair,
             left_first, left_least, left_now, left_what, left_fell_at,
             CASE WHEN step = 'Repair' THEN result->'facts' END AS facts,
             CAST(result->>'begun' AS boolean) AS begun, result->>'mend' AS mend,
             COALESCE(result->>'cause', '') AS cause, created_at, ended_at
      FROM jobs WHERE grant_id = :grant ORDER BY round, host
      """;

  @Override
  public BatchJob map(ResultSet row, StatementContext context) throws SQLException {
    return new BatchJob(
        row.getString("id"),
        NamedConstant.of(Step.class, row.getString("step")),
        row.getString("host"),
        row.getInt("round"),
        row.getInt("run"),
        row.getString("topic"),
        NamedConstant.of(JobStatus.class, row.getString("state")),
        row.getInt("attempt"),
        row.getString("message"),
        row.getInt("hook"),
        row.getBoolean("held"),
        ColumnReader.text(row, "repair"),
        left(row),
        ColumnReader.object(row, "facts"),
        told(row),
        ColumnReader.time(row, "created_at"),
        ColumnReader.maybeTime(row, "ended_at"));
  }

  private static Told told(ResultSet row) throws SQLException {
    return new Told(
        ColumnReader.maybeBoolean(row, "begun"),
        ColumnReader.text(row, "mend").map(word -> NamedConstant.of(Mend.class, word)),
        row.getString("cause"));
  }

  private static Optional<DrainLeft> left(ResultSet row) throws SQLException {
    return row.getObject("left_first") == null
        ? Optional.empty()
        : Optional.of(
            new DrainLeft(
                row.getLong("left_first"),
                row.getLong("left_least"),
                row.getLong("left_now"),
                row.getString("left_what"),
                ColumnReader.time(row, "left_fell_at")));
  }
}
