package dev.drydock.impact.service.controllers;

import dev.drydock.impact.core.ControllerInquiry;
import dev.drydock.impact.core.Policies;
import dev.drydock.proto.Json;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Reads what the controllers of policies in force were asked, within a transaction of the caller.
 */
public final class InquiryRows {
  /** Older ones of a topic are as if they had never been: whoever needs them asks again. */
  private static final int ROUNDS_MAX = 50;

  private static final int REASONS_MAX = 3;

  private InquiryRows() {}

  /**
   * By topic; what was answered before the clock was set back has no known age, and is left out.
   */
  public static Map<String, List<ControllerInquiry>> read(Handle handle, Policies policies) {
    Set<String> topics = policies.controllers();
    Map<String, List<ControllerInquiry>> asks = new HashMap<>();
    if (topics.isEmpty()) {
      return asks;
    }
    handle
        .createQuery(
            """
            SELECT a.* FROM unnest(CAST(:topics AS text[])) AS t (topic)
            CROSS JOIN LATERAL (
              SELECT topic, round, state, attempt, refusal, created_at, expires_at, retry_at,
                     CAST(spec->'ask' AS text) AS ask, CAST(result AS text) AS result
              FROM approvals
              WHERE topic = t.topic
                AND (state IN ('Pending', 'Claimed')
                     OR COALESCE(asked_mark, 0) >= (SELECT ages_known_from()))
              ORDER BY round DESC LIMIT :rounds) a
            """)
        .bind("topics", topics.toArray(String[]::new))
        .bind("rounds", ROUNDS_MAX)
        .map(
            (row, _) ->
                asks.computeIfAbsent(row.getString("topic"), _ -> new ArrayList<>()).add(ask(row)))
        .list();
    return asks;
  }

  private static ControllerInquiry ask(ResultSet row) throws SQLException {
    Map<String, Object> asked = Json.readTree(row.getString("ask"));
    List<ControllerInquiry.Group> groups = new ArrayList<>();
    for (Map<?, ?> group : trees(asked.get("groups"))) {
      groups.add(
          new ControllerInquiry.Group(
              ids(group.get("instances")), Boolean.TRUE.equals(group.get("begun"))));
    }
    return new ControllerInquiry(
        row.getLong("round"),
        row.getTimestamp("created_at").toInstant(),
        groups,
        ids(asked.get("presumedDown")),
        outcome(row));
  }

  private static ControllerInquiry.Outcome outcome(ResultSet row) throws SQLException {
    return switch (row.getString("state")) {
      case "Pending", "Claimed" -> new ControllerInquiry.Open();
      case "Done" -> answered(row);
      case "Failed", "Unknown" ->
          new ControllerInquiry.Silent(
              "could not answer: " + Json.readTree(row.getString("result")).get("message"),
              again(row));
      default ->
          new ControllerInquiry.Silent(
              MissingAnswerReasons.why(
                  row.getInt("attempt"), Optional.ofNullable(row.getString("refusal"))),
              again(row));
    };
  }

  private static Instant again(ResultSet row) throws SQLException {
    return row.getTimestamp("retry_at").toInstant();
  }

  private static ControllerInquiry.Answered answered(ResultSet row) throws SQLException {
    Map<?, ?> answer =
        Json.readTree(row.getString("result")).get("answer") instanceof Map<?, ?> tree
            ? tree
            : Map.of();
    Set<String> approved = new HashSet<>();
    list(answer.get("approved")).forEach(id -> approved.add(String.valueOf(id)));
    return new ControllerInquiry.Answered(
        approved, says(answer), row.getTimestamp("expires_at").toInstant(), again(row));
  }

  private static String says(Map<?, ?> answer) {
    String word = "Wait".equals(answer.get("decision")) ? "says wait" : "denied it";
    String reasons =
        trees(answer.get("reasons")).stream()
            .limit(REASONS_MAX)
            .map(reason -> reason.get("code") + ", " + reason.get("message"))
            .collect(Collectors.joining("; "));
    return reasons.isEmpty() ? word : word + ": " + reasons;
  }

  private static Set<String> ids(@Nullable Object instances) {
    return trees(instances).stream()
        .map(instance -> String.valueOf(instance.get("id")))
        .collect(Collectors.toSet());
  }

  private static List<Map<?, ?>> trees(@Nullable Object list) {
    List<Map<?, ?>> trees = new ArrayList<>();
    for (Object one : list(list)) {
      if (one instanceof Map<?, ?> tree) {
        trees.add(tree);
      }
    }
    return trees;
  }

  private static List<?> list(@Nullable Object value) {
    return value instanceof List<?> list ? list : List.of();
  }
}
