package dev.drydock.orchestrator.batch;

import dev.drydock.api.EventKind;
import dev.drydock.impact.core.LateDrain.Way;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Decision.Answer;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.Decision.Patience;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.store.Sql;
import dev.drydock.proto.Json;
import java.sql.Timestamp;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Writes the rows of decisions. The transaction holds the lock of the grant: an answer, the expiry
 * and an abort come one after the other, and the first stands.
 */
public final class DecisionWriter {
  private final Handle handle;
  private final GrantRow grant;

  /** Writes for one grant, whose lock the transaction of the handle holds. */
  public DecisionWriter(Handle handle, GrantRow grant) {
    this.handle = handle;
    this.grant = grant;
  }

  /** A decision by its id. */
  public static Decision read(Handle handle, String id) {
    return handle
        .createQuery(DecisionMapper.COLUMNS + "WHERE id = :id")
        .bind("id", id)
        .map(new DecisionMapper())
        .one();
  }

  void ask(Decision decision) {
    Optional<Patience> patience = decision.patience();
    boolean forced =
        decision.subject() instanceof Decision.LateDrain(Way way, _, _) && way == Way.FORCE;
    handle
        .createUpdate(
            """
            INSERT INTO decisions
              (id, grant_id, number, kind, step, jobs, hosts, reasons, says, facts, goes_back, asked,
               remind_seconds, remind_at, expires_at, proposed, proposed_by)
            VALUES (:id, :grant, :number, :kind, :step, :jobs, :hosts, CAST(:reasons AS jsonb),
                    :says, CAST(:facts AS jsonb), :back, :asked, :remind, :remindAt, :expiresAt,
                    :proposed, :proposedBy)
            """)
        .bind("id", decision.id(grant.id()))
        .bind("grant", grant.id())
        .bind("number", decision.number())
        .bind("kind", decision.subject().kind().word())
        .bind("step", decision.step())
        .bindArray("jobs", String.class, decision.jobs())
        .bindArray("hosts", String.class, decision.hosts())
        .bind("reasons", Json.writeTree(new HashMap<>(decision.reasons())))
        .bind("says", decision.says())
        .bind("facts", Json.writeTree(facts(decision)))
        .bind("back", decision.subject() instanceof Decision.BlockedBatch(boolean back) && back)
        .bind("asked", decision.open())
        .bind("remind", patience.map(one -> (int) one.remindEvery().toSeconds()))
        .bind("remindAt", patience.map(one -> Timestamp.from(one.remindAt())))
        .bind("expiresAt", patience.map(one -> Timestamp.from(one.expiresAt())))
        .bind("proposed", forced ? Optional.of(Option.FORCE.word()) : Optional.empty())
        .bind("proposedBy", forced ? Optional.of(Decision.BY_POLICY) : Optional.empty())
        .execute();
    if (decision.subject() instanceof Decision.LateDrain) {
      Map<String, Object> late = facts(decision);
      late.put("grant", grant.id());
      late.put("reason", decision.says());
      tell(decision, EventKind.DrainLate, late);
    }
    if (decision.open()) {
      tellAsked(decision, false);
    }
    decision.answer().ifPresent(given -> write(decision, given));
  }

  private static Map<String, Object> facts(Decision decision) {
    return new HashMap<>(
        switch (decision.subject()) {
          case Decision.BlockedBatch(boolean back) -> Map.of("goesBack", String.valueOf(back));
          case Decision.LateDrain(var way, var pace, int _) ->
              Map.of("onTimeout", way.word(), "pace", pace.word());
          case Decision.RepairApproval(var rung, String found) ->
              Map.of("action", rung.word(), "found", found);
        });
  }

  void remind(Decision decision) {
    Sql.update(
        handle,
        "UPDATE decisions SET remind_at = :at WHERE id = :id",
        Map.of("at", decision.patience().orElseThrow().remindAt(), "id", decision.id(grant.id())));
    tellAsked(decision, true);
  }

  private void tellAsked(Decision decision, boolean again) {
    Map<String, Object> data = about(decision);
    data.put("step", decision.step());
    data.put("again", again);
    data.put("reason", decision.says());
    decision
        .patience()
        .ifPresent(patience -> data.put("expiresAt", patience.expiresAt().toEpochMilli()));
    tell(decision, EventKind.DecisionAsked, data);
  }

  void withdraw(Decision decision) {
    answered(decision, decision.answer().orElseThrow());
  }

  /** A first person asks for something. It takes effect once a second one has approved it. */
  public void proposed(Decision decision, Answer proposal) {
    Sql.update(
        handle,
        """
        UPDATE decisions SET proposed = :option, proposed_by = :by
        WHERE id = :id AND proposed_by IS NULL
        """,
        Map.of(
            "option", proposal.option().word(),
            "by", proposal.by(),
            "id", decision.id(grant.id())));
    tellOf(decision, EventKind.DecisionProposed, proposal);
  }

  /** It is decided. From here on that stands. */
  public void answered(Decision decision, Answer answer) {
    write(decision, answer);
    tellOf(decision, EventKind.DecisionAnswered, answer);
  }

  private void write(Decision decision, Answer answer) {
    Sql.update(
        handle,
        """
        UPDATE decisions
        SET answer = :option, answered_by = :by, answer_reason = :reason,
            answered_at = clock_timestamp(),
            open_round = (SELECT COALESCE(max(round), 0) FROM checks
                          WHERE grant_id = :grant AND kind = 'open')
        WHERE id = :id AND answer IS NULL
        """,
        Map.of(
            "option", answer.option().word(),
            "by", answer.by(),
            "reason", answer.reason(),
            "grant", grant.id(),
            "id", decision.id(grant.id())));
  }

  private void tellOf(Decision decision, EventKind kind, Answer answer) {
    Map<String, Object> data = about(decision);
    data.put("option", answer.option().word());
    data.put("by", answer.by());
    data.put("reason", answer.reason());
    tell(decision, kind, data);
  }

  private Map<String, Object> about(Decision decision) {
    return new HashMap<>(
        Map.of(
            "grant", grant.id(),
            "decision", decision.id(grant.id()),
            "kind", decision.subject().kind().word()));
  }

  private void tell(Decision decision, EventKind kind, Map<String, Object> data) {
    decision
        .hosts()
        .forEach(host -> NewEvent.ofHost(kind, grant.rollout(), host, data).append(handle));
  }
}
