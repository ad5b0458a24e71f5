package dev.drydock.orchestrator.core.batch;

import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Decision.Answer;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.Decision.Patience;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Asks people, reminds them, and at last decides for those who did not answer. */
final class DecisionBook {
  private final SnapshotDraft snapshotDraft;

  DecisionBook(SnapshotDraft snapshotDraft) {
    this.snapshotDraft = snapshotDraft;
  }

  /**
   * What is to be decided.
   *
   * @param reasons what people read of each host
   * @param says why, in one sentence
   */
  record About(
      Decision.Subject subject,
      String step,
      List<String> jobs,
      Map<String, String> reasons,
      String says) {}

  /** Writes it down as policies decide it. */
  Decision decided(About about, Option option) {
    Answer answer = new Answer(option, Decision.BY_POLICY, "");
    return write(open(about, Optional.empty()).answered(answer, openRound()));
  }

  /** Asks people. Their batch waits, and each host shows how to answer. */
  Decision ask(About about, Optional<Patience> patience) {
    Decision asked = write(open(about, patience));
    show(asked);
    return asked;
  }

  private Decision open(About about, Optional<Patience> patience) {
    return new Decision(
        snapshotDraft.decisions().size() + 1,
        about.subject(),
        about.step(),
        about.jobs(),
        about.reasons(),
        about.says(),
        patience,
        Optional.empty());
  }

  private Decision write(Decision decision) {
    snapshotDraft.act(new Action.Ask(decision));
    return decision;
  }

  /**
   * What became of it by now: people are reminded when they are to be, and not waited for once that
   * is over.
   *
   * @param unanswered what is decided where nobody answered in time
   */
  Decision look(Decision decision, Option unanswered) {
    if (!decision.open() || decision.patience().isEmpty()) {
      return decision;
    }
    Patience patience = decision.patience().get();
    if (!patience.expiresAt().isAfter(snapshotDraft.now())) {
      return withdraw(decision, unanswered, "nobody answered in time");
    }
    if (patience.remindAt().isAfter(snapshotDraft.now())) {
      return decision;
    }
    Decision reminded = decision.reminded(snapshotDraft.now());
    snapshotDraft.act(new Action.Remind(reminded));
    show(reminded);
    return reminded;
  }

  /** Decides it for people, who are not waited for any more. */
  Decision withdraw(Decision decision, Option option, String why) {
    Decision withdrawn =
        decision.answered(new Answer(option, Decision.BY_EXPIRY, why), openRound());
    snapshotDraft.act(new Action.Withdraw(withdrawn));
    return withdrawn;
  }

  private void show(Decision asked) {
    String command = "; drydock decision answer " + asked.id(snapshotDraft.grant().id());
    new TreeMap<>(asked.reasons())
        .forEach((host, why) -> snapshotDraft.act(new Action.ShowReason(host, why + command)));
  }

  private int openRound() {
    return snapshotDraft.check(Check.Kind.OPEN).map(Check::round).orElse(0);
  }
}
