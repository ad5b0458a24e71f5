package dev.drydock.orchestrator.remediation;

import dev.drydock.api.EventKind;
import dev.drydock.api.RepairApprovalAnswer;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.remediation.Approvals.Answer;
import dev.drydock.orchestrator.remediation.Approvals.Approval;
import dev.drydock.orchestrator.store.BatchHosts;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.platform.events.Event;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Asks people whether a rung is climbed, reminds them, and at last goes on without them. The caller
 * holds the lock of the grant.
 */
final class Asking {
  private Asking() {}

  /**
   * The remediation goes on once they have answered.
   *
   * @param found what the diagnosis says
   */
  static void ask(Handle handle, GrantRow grant, Remediation open, Rung rung, String found) {
    ask(handle, grant, open, Approvals.ask(handle, open, rung, found), false);
  }

  /**
   * Whether an answer is waited for. What nobody approved in time, or before an abort, is refused.
   */
  static boolean waits(Handle handle, GrantRow grant, Remediation open) {
    Optional<Approval> awaited = Approvals.awaited(handle, open);
    if (awaited.isEmpty()) {
      return false;
    }
    Approval asked = awaited.get();
    if (asked.expired() || aborted(handle, grant)) {
      String why = asked.expired() ? "nobody answered in time" : "its rollout was aborted";
      answer(
          handle, grant, asked, new Answer(RepairApprovalAnswer.Refuse, Approvals.BY_EXPIRY, why));
      return false;
    }
    if (asked.remindDue()) {
      Approvals.reminded(handle, asked.id());
      ask(handle, grant, open, asked, true);
    }
    return true;
  }

  /** From here on it stands. */
  static void answer(Handle handle, GrantRow grant, Approval asked, Answer answer) {
    Approvals.answer(handle, asked.id(), answer);
    Event.ofHost(
            EventKind.RemediationAnswered,
            grant.rollout(),
            asked.host(),
            Map.of(
                "grant", grant.id(),
                "step", asked.step(),
                "action", asked.rung(),
                "approval", asked.id(),
                "answer", answer.answer().name(),
                "by", answer.by(),
                "reason", answer.reason()))
        .append(handle);
  }

  private static void ask(
      Handle handle, GrantRow grant, Remediation open, Approval asked, boolean again) {
    String says =
        "%s; remediation: %s waits for approval (%s), %s"
            .formatted(open.reason(), asked.rung(), asked.id(), asked.found());
    BatchHosts.says(handle, grant.id(), List.of(open.host()), says);
    Event.ofHost(
            EventKind.RemediationAsked,
            grant.rollout(),
            open.host(),
            Map.of(
                "grant", grant.id(),
                "step", asked.step(),
                "action", asked.rung(),
                "approval", asked.id(),
                "again", again,
                "expiresAt", asked.expiresAt().toEpochMilli(),
                "reason", says))
        .append(handle);
  }

  private static boolean aborted(Handle handle, GrantRow grant) {
    return handle
        .createQuery("SELECT state = 'Aborting' FROM rollouts WHERE id = :id")
        .bind("id", grant.rollout())
        .mapTo(Boolean.class)
        .one();
  }
}
