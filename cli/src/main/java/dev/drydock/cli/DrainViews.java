package dev.drydock.cli;

import dev.drydock.api.DrainQuestion;

/** The table of hosts that were not drained in time, where people say what becomes of them. */
final class DrainViews {
  static final Table<DrainQuestion> QUESTIONS =
      Table.<DrainQuestion>of(DrainQuestion::getId)
          .column("QUESTION", DrainQuestion::getId)
          .column("ROLLOUT", DrainQuestion::getRollout)
          .column("HOSTS", question -> String.join(",", question.getHosts()))
          .column("DRAIN", question -> question.getPace().name())
          .column("STATE", question -> question.getState().name())
          .column("ANSWER", DrainViews::answer)
          .column("EXPIRES", question -> Views.time(question.getExpiresAt()))
          .column("REASON", DrainQuestion::getReason)
          .wide("POLICY", DrainQuestion::getOnTimeout)
          .wide("ASKED", question -> Views.time(question.getAskedAt()))
          .wide("ANSWERED", question -> Views.time(question.getAnsweredAt()))
          .wide("BECAUSE", DrainQuestion::getAnswerReason);

  private DrainViews() {}

  private static String answer(DrainQuestion question) {
    if (question.hasAnswer()) {
      return question.getAnswer()
          + " by "
          + question.getAnsweredBy()
          + (question.hasForceBy() ? ", Force asked by " + question.getForceBy() : "");
    }
    return question.hasForceBy() ? "Force asked by " + question.getForceBy() : "";
  }
}
