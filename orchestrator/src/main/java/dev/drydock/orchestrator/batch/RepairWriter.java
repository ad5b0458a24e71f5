package dev.drydock.orchestrator.batch;

import dev.drydock.api.EventKind;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.core.model.RepairApproval;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.platform.events.Event;
import java.sql.Timestamp;
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
    handle
        .createUpdate(
            """
            INSERT INTO remediations (grant_id, host, step, ladder, approve, on_unknown, reason)
            VALUES (:grant, :host, :step, :ladder, :approve, :unknown, :reason)
            """)
        .bind("grant", grant.id())
        .bind("host", begun.host())
        .bind("step", begun.step().word())
        .bindArray("ladder", String.class, words(begun.ladder().rungs()))
        .bindArray("approve", String.class, words(begun.ladder().approve()))
        .bindArray("unknown", String.class, words(begun.ladder().onUnknown()))
        .bind("reason", begun.reason())
        .execute();
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
    handle
        .createUpdate(
            """
            UPDATE remediations
            SET state = :state, says = :says, signature = :signature, went_back = :wentBack,
                ended_at = clock_timestamp()
            WHERE grant_id = :grant AND host = :host AND step = :step AND state = 'Open'
            """)
        .bind("state", ended.state().word())
        .bind("says", ended.says())
        .bind("signature", signature)
        .bind("wentBack", ended.wentBack())
        .bind("grant", grant.id())
        .bind("host", ended.host())
        .bind("step", ended.step().word())
        .execute();
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
    handle
        .createUpdate(
            """
            INSERT INTO repair_approvals
              (id, grant_id, host, step, rung, found, remind_at, expires_at)
            VALUES (:id, :grant, :host, :step, :rung, :found, :remindAt, :expiresAt)
            """)
        .bind("id", asked.id(grant.id()))
        .bind("grant", grant.id())
        .bind("host", asked.host())
        .bind("step", asked.step().word())
        .bind("rung", asked.rung().word())
        .bind("found", asked.found())
        .bind("remindAt", Timestamp.from(asked.remindAt()))
        .bind("expiresAt", Timestamp.from(asked.expiresAt()))
        .execute();
    tellAsked(asked, reason, false);
  }

  void remind(RepairApproval asked, String reason) {
    handle
        .createUpdate("UPDATE repair_approvals SET remind_at = :at WHERE id = :id")
        .bind("at", Timestamp.from(asked.remindAt()))
        .bind("id", asked.id(grant.id()))
        .execute();
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
    handle
        .createUpdate(
            """
            UPDATE repair_approvals
            SET answer = :answer, answered_by = :by, answered_at = clock_timestamp(), reason = :reason
            WHERE id = :id AND answer IS NULL
            """)
        .bind("answer", answer.answer())
        .bind("by", answer.by())
        .bind("reason", answer.reason())
        .bind("id", asked.id())
        .execute();
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
