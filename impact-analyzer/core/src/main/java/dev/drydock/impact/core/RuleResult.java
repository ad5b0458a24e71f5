package dev.drydock.impact.core;

import java.time.Instant;
import java.util.Optional;

/**
 * What a rule says of a request.
 *
 * @param required instances that must stay up; 0 when the rule is not about their number
 * @param says the numbers or facts it rests on, to follow the rule's name
 * @param until when it ends to allow by itself, if it does
 * @param question whose answer it waits for, if it does not allow for want of that alone
 */
public record RuleResult(
    boolean allows,
    int required,
    String says,
    Optional<Instant> until,
    Optional<ControllerQuestion> question) {

  RuleResult(boolean allows, int required, String says) {
    this(allows, required, says, Optional.empty(), Optional.empty());
  }

  static RuleResult of(boolean allows, String says) {
    return new RuleResult(allows, 0, says);
  }

  static RuleResult until(Instant until, String says) {
    return new RuleResult(true, 0, says, Optional.of(until), Optional.empty());
  }

  static RuleResult awaits(ControllerQuestion question, String says) {
    return new RuleResult(false, 0, says, Optional.empty(), Optional.of(question));
  }
}
