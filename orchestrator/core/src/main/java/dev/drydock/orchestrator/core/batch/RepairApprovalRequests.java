package dev.drydock.orchestrator.core.batch;

import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Decision.Kind;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.Decision.Patience;
import dev.drydock.orchestrator.core.model.Decision.RepairApproval;
import dev.drydock.orchestrator.core.model.Remediation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Which rungs people are asked to approve, and what they said. */
final class RepairApprovalRequests {
  /** The host counts as down meanwhile, and a night may lie between. */
  static final Duration REMIND_EVERY = Duration.ofHours(1);

  /** A rung that nobody approved by then is refused. */
  static final Duration EXPIRES_AFTER = Duration.ofHours(24);

  private final SnapshotDraft snapshotDraft;
  private final DecisionBook book;

  RepairApprovalRequests(SnapshotDraft snapshotDraft) {
    this.snapshotDraft = snapshotDraft;
    this.book = new DecisionBook(snapshotDraft);
  }

  /**
   * Whether an answer is waited for. A rung that nobody approved in time, or before an abort, is
   * refused.
   */
  boolean awaited(Remediation open) {
    Optional<Decision> awaited = of(open).stream().filter(Decision::open).findFirst();
    if (awaited.isEmpty()) {
      return false;
    }
    if (snapshotDraft.read().aborted().isPresent()) {
      book.withdraw(awaited.get(), Option.REFUSE, "its rollout was aborted");
      return false;
    }
    return book.look(awaited.get(), Option.REFUSE).open();
  }

  /**
   * Asks whether the rung is tried. The remediation goes on once people have answered.
   *
   * @param found what the diagnosis says
   */
  void ask(Remediation open, Rung rung, String found) {
    String says =
        "%s; remediation: %s waits for approval, %s".formatted(open.reason(), rung.word(), found);
    book.ask(
        new DecisionBook.About(
            new RepairApproval(rung, found),
            open.step().word(),
            List.of(),
            Map.of(open.host(), says),
            says),
        Optional.of(Patience.since(snapshotDraft.now(), REMIND_EVERY, EXPIRES_AFTER)));
  }

  boolean approved(Remediation open, Rung rung) {
    return of(open).stream().anyMatch(one -> one.answered(Option.APPROVE) && rung(one) == rung);
  }

  Set<Rung> refused(Remediation open) {
    return of(open).stream()
        .filter(one -> one.answered(Option.REFUSE))
        .map(RepairApprovalRequests::rung)
        .collect(Collectors.toSet());
  }

  private static Rung rung(Decision asked) {
    return ((RepairApproval) asked.subject()).rung();
  }

  private List<Decision> of(Remediation open) {
    return snapshotDraft.decisions(Kind.REPAIR_APPROVAL).stream()
        .filter(one -> one.hosts().contains(open.host()) && one.step().equals(open.step().word()))
        .toList();
  }
}
