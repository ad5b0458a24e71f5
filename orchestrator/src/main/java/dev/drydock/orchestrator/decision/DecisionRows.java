package dev.drydock.orchestrator.decision;

import dev.drydock.api.Decision;
import dev.drydock.orchestrator.core.batch.Choice;
import dev.drydock.orchestrator.core.model.Decision.Kind;
import dev.drydock.platform.store.Columns;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.Page;
import dev.drydock.platform.store.PageRequest;
import dev.drydock.platform.store.Selection;
import dev.drydock.proto.Json;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Reads what people are asked, as the API tells it. */
public final class DecisionRows {
  private static final String OVER =
      """
      g.state <> 'granted' OR g.abort OR (g.undo IS NOT NULL) <> d.goes_back
        OR d.kind = 'RepairApproval'
           AND NOT EXISTS (SELECT FROM remediations r
                           WHERE r.grant_id = d.grant_id AND r.host = ANY(d.hosts)
                             AND r.step = d.step AND r.state = 'Open')
      """;

  private static final String STATE =
      """
      CASE WHEN d.answered_by = '%s' THEN 'Expired'
           WHEN d.answer IS NOT NULL THEN 'Answered'
           WHEN %s THEN 'Over'
           WHEN d.proposed IS NOT NULL THEN 'AwaitsApproval'
           ELSE 'Open' END
      """
          .formatted(dev.drydock.orchestrator.core.model.Decision.BY_EXPIRY, OVER);

  private static final Columns<Decision> DECISIONS =
      Columns.of(Decision.class, "decisions d JOIN grants g ON g.id = d.grant_id")
          .field("id", "d.id")
          .field("rollout", "g.rollout")
          .field("grant", "d.grant_id")
          .field("hosts", "to_jsonb(d.hosts)")
          .field("reason", "d.says")
          .field("state", STATE)
          .field("askedAt", "d.at")
          .field("choices", byKind(DecisionRows::choices))
          .field("otherwise", byKind(kind -> literal(Choice.otherwise(kind))))
          .named("d", "kind step facts expiresAt proposed proposedBy")
          .named("d", "answer answeredBy answeredAt answerReason")
          .complete();

  private DecisionRows() {}

  /**
   * Which are wanted.
   *
   * @param open only those that wait for people
   * @param rollout of this rollout, if any
   * @param host of this host, if any
   */
  public record Wanted(boolean open, Optional<String> rollout, Optional<String> host) {}

  static Optional<Decision> find(Handle handle, String id, FieldMask fieldMask) {
    return DECISIONS
        .select(fieldMask)
        .where("d.asked")
        .where("d.id = :id")
        .bind("id", id)
        .first(handle);
  }

  static Page<Decision> page(
      Jdbi jdbi, Wanted wanted, PageRequest pageRequest, FieldMask fieldMask) {
    Selection<Decision> selection = DECISIONS.select(fieldMask).where("d.asked");
    if (wanted.open()) {
      selection = selection.where("d.answer IS NULL AND NOT (" + OVER + ")");
    }
    if (wanted.rollout().isPresent()) {
      selection = selection.where("g.rollout = :rollout").bind("rollout", wanted.rollout().get());
    }
    if (wanted.host().isPresent()) {
      selection =
          selection
              .where("d.hosts @> ARRAY[CAST(:host AS text)]")
              .bind("host", wanted.host().get());
    }
    return selection
        .orderBy("(d.answer IS NULL AND NOT (" + OVER + ")) DESC, d.at DESC, d.id")
        .page(jdbi, pageRequest);
  }

  private static String byKind(Function<Kind, String> value) {
    return Arrays.stream(Kind.values())
        .map(kind -> "WHEN '%s' THEN %s".formatted(kind.word(), value.apply(kind)))
        .collect(Collectors.joining(" ", "CASE d.kind ", " END"));
  }

  private static String choices(Kind kind) {
    return literal(
        Choice.of(kind).stream()
            .map(choice -> Json.writeTree(choice(choice)))
            .collect(Collectors.joining(",", "[", "]")));
  }

  private static Map<String, Object> choice(Choice choice) {
    Map<String, Object> told = new HashMap<>();
    told.put("option", choice.option().word());
    told.put("consequence", choice.consequence());
    told.put("needs", Choice.NEEDS);
    if (choice.secondPerson()) {
      told.put("needsSecond", Choice.NEEDS_SECOND);
    }
    return told;
  }

  private static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}
