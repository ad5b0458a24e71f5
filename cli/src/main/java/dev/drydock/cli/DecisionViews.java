package dev.drydock.cli;

import dev.drydock.api.Decision;
import dev.drydock.api.DecisionChoice;

/** The tables of what people are asked to decide. */
final class DecisionViews {
  static final Table<Decision> DECISIONS =
      Table.<Decision>of(Decision::getId)
          .column("DECISION", Decision::getId)
          .column("ROLLOUT", Decision::getRollout)
          .column("HOSTS", decision -> String.join(",", decision.getHosts()))
          .column("KIND", decision -> decision.getKind().name())
          .column("STATE", decision -> decision.getState().name())
          .column("ANSWER", DecisionViews::answer)
          .column("EXPIRES", decision -> TableViews.time(decision.getExpiresAt()))
          .column("REASON", Decision::getReason)
          .wide("STEP", Decision::getStep)
          .wide("ASKED", decision -> TableViews.time(decision.getAskedAt()))
          .wide("OTHERWISE", Decision::getOtherwise)
          .wide("ANSWERED", decision -> TableViews.time(decision.getAnsweredAt()))
          .wide("BECAUSE", Decision::getAnswerReason);

  static final Table<DecisionChoice> CHOICES =
      Table.<DecisionChoice>of(choice -> choice.getOption().name())
          .column("ANSWER", choice -> choice.getOption().name())
          .column("THEN", DecisionChoice::getConsequence)
          .column("NEEDS", DecisionViews::needs);

  private DecisionViews() {}

  private static String needs(DecisionChoice choice) {
    return choice.hasNeedsSecond()
        ? choice.getNeeds() + ", and " + choice.getNeedsSecond()
        : choice.getNeeds();
  }

  private static String answer(Decision decision) {
    String asked =
        decision.hasProposed()
            ? decision.getProposed() + " asked by " + decision.getProposedBy()
            : "";
    if (decision.hasAnswer()) {
      String answered = decision.getAnswer() + " by " + decision.getAnsweredBy();
      return asked.isEmpty() ? answered : answered + ", " + asked;
    }
    return asked.isEmpty() ? "" : asked + ", waits for a second person";
  }
}
