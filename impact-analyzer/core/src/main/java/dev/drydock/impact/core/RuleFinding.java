package dev.drydock.impact.core;

import dev.drydock.lock.core.Verdict.Decision;
import dev.drydock.lock.core.Verdict.Finding;
import java.time.Instant;
import java.util.Optional;

/** One finding together with what it means for the request; see {@link RuleResult}. */
record RuleFinding(
    Decision decision,
    Finding finding,
    Rule.Lasts lasts,
    Optional<Instant> until,
    Optional<ControllerQuestion> question) {

  /** A blocker that is no matter of numbers. */
  static RuleFinding withoutNumbers(String application, Decision decision, String detail) {
    return withoutNumbers(
        application, application.isEmpty() ? "fleet view" : "policy", decision, detail);
  }

  /** The same of one rule. */
  static RuleFinding withoutNumbers(
      String application, String rule, Decision decision, String detail) {
    return new RuleFinding(
        decision,
        new Finding(application, rule, 0, 0, 0, 0, false, detail),
        Rule.Lasts.UNTIL_PEOPLE_ACT,
        Optional.empty(),
        Optional.empty());
  }
}
