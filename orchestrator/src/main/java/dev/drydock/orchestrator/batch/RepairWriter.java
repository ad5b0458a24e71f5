package dev.drydock.orchestrator.batch;

import dev.drydock.api.EventKind;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.core.model.RepairApproval;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.platform.events.Event;
import dev.drydock.platform.store.Sql;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Writes the rows of remediations, of their actions, and of what people are asked to approve. The
 * transaction holds the lock of the grant.
 */
public final class RepairWriter {
  /** Who refused what nobody answered. */
  public static final String BY_EXPIRY = "drydock";

  private final Handle handle;
  private final GrantRow grant;

  /** Writes for one grant, whose lock the transaction of the handle holds. */
  public RepairWriter(Handle handle, GrantRow grant) {
    this.handle = handle;
    this.grant = grant;
  }

  void begin(Remediation begun) {
    Sql.update(
        handle,
        """
        INSERT INTO remediations (grant_id, host, step, ladder, approve, on_unknown, reason)
        VALUES (:grant, :host, :step, :ladder, :approve, :unknown, :reason)
        """,
        Map.of(
            "grant", grant.id(),
            "host", begun.host(),
            "step", begun.step().word(),
            "ladder", words(begun.ladder().rungs()),
            "approve", words(begun.ladder().approve()),
            "unknown", words(begun.ladder().onUnknown()),
            "reason", begun.reason()));
    tell(
        EventKind.RemediationBegan,
        begun.host(),
        Map.of("step", begun.step().word(), "reason", begun.reason()));
  }

  private static List<String> words(Collection<Rung> rungs) {
    return rungs.stream().map(Rung::word).toList();
  }

  void take(String host, Step step, int number, Remediation.Taken taken) {
    handle
        .createUpdate(
            """
            INSERT INTO remediation_steps (grant_id, host, step, number, action, rung, job)
            VALUES (:grant, :host, :step, :number, :action, CAST(:rung AS int), :job)
            """)
        .bind("grant", grant.id())
        .bind("host", host)
        .bind("step", step.word())
        .bind("number", number)
        .bind("action", taken.action().word())
        .bind("rung", taken.rung().isPresent() ? taken.rung().getAsInt() : null)
        .bind("job", taken.job())
        .execute();
    tell(
        EventKind.RemediationTried,
        host,
        Map.of("step", step.word(), "action", taken.action().word(), "job", taken.job()));
  }

  void end(Remediation ended, String signature) {
    Sql.update(
        handle,
        """
        UPDATE remediations
        SET state = :state, says = :says, signature = :signature, went_back = :wentBack,
            ended_at = clock_timestamp()
        WHERE grant_id = :grant AND host = :host AND step = :step AND state = 'Open'
        """,
        Map.of(
            "state", ended.state().word(),
            "says", ended.says(),
            "signature", signature,
            "wentBack", ended.wentBack(),
            "grant", grant.id(),
            "host", ended.host(),
            "step", ended.step().word()));
    tell(
        EventKind.RemediationEnded,
        ended.host(),
        Map.of(
            "step", ended.step().word(),
            "state", ended.state().word(),
            "reason", ended.says(),
            "signature", signature));
  }

  void ask(RepairApproval asked, String reason) {
    Sql.update(
        handle,
        """
        INSERT INTO repair_approvals
          (id, grant_id, host, step, rung, found, remind_at, expires_at)
        VALUES (:id, :grant, :host, :step, :rung, :found, :remindAt, :expiresAt)
        """,
        Map.of(
            "id", asked.id(grant.id()),
            "grant", grant.id(),
            "host", asked.host(),
            "step", asked.step().word(),
            "rung", asked.rung().word(),
            "found", asked.found(),
            "remindAt", asked.remindAt(),
            "expiresAt", asked.expiresAt()));
    tellAsked(asked, reason, false);
  }

  void remind(RepairApproval asked, String reason) {
    Sql.update(
        handle,
        "UPDATE repair_approvals SET remind_at = :at WHERE id = :id",
        Map.of("at", asked.remindAt(), "id", asked.id(grant.id())));
    tellAsked(asked, reason, true);
  }

  private void tellAsked(RepairApproval asked, String reason, boolean again) {
    tell(
        EventKind.RemediationAsked,
        asked.host(),
        Map.of(
            "step", asked.step().word(),
            "action", asked.rung().word(),
            "approval", asked.id(grant.id()),
            "again", again,
            "expiresAt", asked.expiresAt().toEpochMilli(),
            "reason", reason));
  }

  void refuse(RepairApproval asked, String reason) {
    Question question =
        new Question(asked.id(grant.id()), asked.host(), asked.step().word(), asked.rung().word());
    answered(question, new Answer("Refuse", BY_EXPIRY, reason));
  }

  /** What people are asked, as rows spell it. */
  public record Question(String id, String host, String step, String rung) {}

  /** What was answered by whom, and why. */
  public record Answer(String answer, String by, String reason) {}

  /** Writes an answer. From here on it stands. */
  public void answered(Question asked, Answer answer) {
    Sql.update(
        handle,
        """
        UPDATE repair_approvals
        SET answer = :answer, answered_by = :by, answered_at = clock_timestamp(), reason = :reason
        WHERE id = :id AND answer IS NULL
        """,
        Map.of(
            "answer", answer.answer(),
            "by", answer.by(),
            "reason", answer.reason(),
            "id", asked.id()));
    tell(
        EventKind.RemediationAnswered,
        asked.host(),
        Map.of(
            "step", asked.step(),
            "action", asked.rung(),
            "approval", asked.id(),
            "answer", answer.answer(),
            "by", answer.by(),
            "reason", answer.reason()));
  }

  private void tell(EventKind kind, String host, Map<String, ?> more) {
    Map<String, Object> data = new HashMap<>(more);
    data.put("grant", grant.id());
    Event.ofHost(kind, grant.rollout(), host, data).append(handle);
  }
}
