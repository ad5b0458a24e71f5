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
public record Opinion(
    boolean allows,
    int required,
    String says,
    Optional<Instant> until,
    Optional<Question> question) {

  Opinion(boolean allows, int required, String says) {
    this(allows, required, says, Optional.empty(), Optional.empty());
  }

  static Opinion of(boolean allows, String says) {
    return new Opinion(allows, 0, says);
  }

  static Opinion until(Instant until, String says) {
    return new Opinion(true, 0, says, Optional.of(until), Optional.empty());
  }

  static Opinion awaits(Question question, String says) {
    return new Opinion(false, 0, says, Optional.empty(), Optional.of(question));
  }
}
