package dev.drydock.orchestrator.core.batch;

import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.core.model.RepairApproval;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Asks people whether a rung is tried, reminds them, and at last refuses it for them. */
final class RepairApprovals {
  private final Draft draft;

  RepairApprovals(Draft draft) {
    this.draft = draft;
  }

  /**
   * Whether an answer is waited for. A rung that nobody approved in time, or before an abort, is
   * refused.
   */
  boolean awaited(Remediation open) {
    Optional<RepairApproval> awaited =
        of(open).stream().filter(one -> one.approved().isEmpty()).findFirst();
    if (awaited.isEmpty()) {
      return false;
    }
    RepairApproval asked = awaited.get();
    boolean expired = !asked.expiresAt().isAfter(draft.now());
    if (expired || draft.read().aborted().isPresent()) {
      String why = expired ? "nobody answered in time" : "its rollout was aborted";
      draft.act(new Action.RefuseApproval(asked.answered(false), why));
      return false;
    }
    if (!asked.remindAt().isAfter(draft.now())) {
      RepairApproval reminded = asked.reminded(draft.now().plus(RepairApproval.REMIND_EVERY));
      String says = says(open, reminded);
      draft.act(new Action.RemindApproval(reminded, says));
      draft.act(new Action.ShowReason(open.host(), says));
    }
    return true;
  }

  /**
   * Asks whether the rung is tried. The remediation goes on once people have answered.
   *
   * @param found what the diagnosis says
   */
  void ask(Remediation open, Rung rung, String found) {
    RepairApproval asked =
        new RepairApproval(
            open.host(),
            open.step(),
            rung,
            found,
            draft.now().plus(RepairApproval.REMIND_EVERY),
            draft.now().plus(RepairApproval.EXPIRES_AFTER),
            Optional.empty());
    String says = says(open, asked);
    draft.act(new Action.AskApproval(asked, says));
    draft.act(new Action.ShowReason(open.host(), says));
  }

  boolean approved(Remediation open, Rung rung) {
    return of(open).stream()
        .anyMatch(one -> one.rung() == rung && one.approved().equals(Optional.of(true)));
  }

  Set<Rung> refused(Remediation open) {
    return of(open).stream()
        .filter(one -> one.approved().equals(Optional.of(false)))
        .map(RepairApproval::rung)
        .collect(Collectors.toSet());
  }

  private List<RepairApproval> of(Remediation open) {
    return draft.approvals().stream()
        .filter(one -> one.host().equals(open.host()) && one.step() == open.step())
        .toList();
  }

  private String says(Remediation open, RepairApproval asked) {
    return "%s; remediation: %s waits for approval (%s), %s"
        .formatted(open.reason(), asked.rung().word(), asked.id(draft.grant().id()), asked.found());
  }
}
