package dev.drydock.orchestrator.batch;

import dev.drydock.api.EventKind;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.store.Sql;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Writes the rows of remediations and of their actions. The transaction holds the lock of the
 * grant.
 */
final class RepairWriter {
  private final Handle handle;
  private final GrantRow grant;

  /** Writes for one grant, whose lock the transaction of the handle holds. */
  RepairWriter(Handle handle, GrantRow grant) {
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

  private void tell(EventKind kind, String host, Map<String, ?> more) {
    Map<String, Object> data = new HashMap<>(more);
    data.put("grant", grant.id());
    NewEvent.ofHost(kind, grant.rollout(), host, data).append(handle);
  }
}
