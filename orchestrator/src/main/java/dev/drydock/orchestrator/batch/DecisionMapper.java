package dev.drydock.orchestrator.batch;

import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.impact.core.LateDrain.Way;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Decision.Answer;
import dev.drydock.orchestrator.core.model.Decision.Kind;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.Decision.Pace;
import dev.drydock.orchestrator.core.model.Decision.Patience;
import dev.drydock.orchestrator.core.model.Decision.Subject;
import dev.drydock.orchestrator.core.model.NamedConstant;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;

/** What is or was to be decided about hosts of a batch. */
final class DecisionMapper implements RowMapper<Decision> {
  static final String COLUMNS = "SELECT * FROM decisions ";
  static final String SQL = COLUMNS + "WHERE grant_id = :grant ORDER BY number";

  @Override
  public Decision map(ResultSet row, StatementContext context) throws SQLException {
    return new Decision(
        row.getInt("number"),
        subject(row),
        row.getString("step"),
        ColumnReader.texts(row, "jobs"),
        ColumnReader.object(row, "reasons"),
        row.getString("says"),
        patience(row),
        answer(row));
  }

  private static Subject subject(ResultSet row) throws SQLException {
    Map<String, String> facts = ColumnReader.object(row, "facts");
    return switch (NamedConstant.of(Kind.class, row.getString("kind"))) {
      case BLOCKED_BATCH -> new Decision.BlockedBatch(row.getBoolean("goes_back"));
      case LATE_DRAIN ->
          new Decision.LateDrain(
              Way.valueOf(fact(facts, "onTimeout").toUpperCase(Locale.ROOT)),
              NamedConstant.of(Pace.class, fact(facts, "pace")),
              row.getInt("open_round"));
      case REPAIR_APPROVAL ->
          new Decision.RepairApproval(Rung.of(fact(facts, "action")), fact(facts, "found"));
    };
  }

  private static String fact(Map<String, String> facts, String name) {
    return facts.getOrDefault(name, "");
  }

  private static Optional<Patience> patience(ResultSet row) throws SQLException {
    Duration every = Duration.ofSeconds(row.getInt("remind_seconds"));
    Optional<Instant> remind = ColumnReader.maybeTime(row, "remind_at");
    Optional<Instant> expires = ColumnReader.maybeTime(row, "expires_at");
    return remind.flatMap(at -> expires.map(end -> new Patience(every, at, end)));
  }

  private static Optional<Answer> answer(ResultSet row) throws SQLException {
    String by = row.getString("answered_by");
    String reason = row.getString("answer_reason");
    return ColumnReader.text(row, "answer")
        .map(option -> new Answer(NamedConstant.of(Option.class, option), by, reason));
  }
}
