package dev.drydock.orchestrator.core.drain;

import dev.drydock.orchestrator.core.model.Decision.Option;
import java.util.Optional;

/**
 * What an answer does to an open question about hosts that were not drained in time.
 *
 * <ol>
 *   <li>Any answer but Force decides the question.
 *   <li>A person or the policy asks for Force first. Then another person approves it: an owner of
 *       what runs there who neither asked for it nor started the rollout.
 * </ol>
 */
public final class DrainAnswerRule {
  private DrainAnswerRule() {}

  /** What an answer does. */
  public sealed interface Outcome {

    /** It decides the question. */
    record Decides(Option option) implements Outcome {}

    /** It asks for Force, which another person has to approve. */
    record AsksForForce() implements Outcome {}

    /** This person may not give it. */
    record Refused(String why) implements Outcome {}
  }

  /**
   * The question.
   *
   * @param forced whether the policy itself asks for Force
   * @param forceBy the person who asked for Force
   * @param requester the person who started the rollout
   */
  public record Question(boolean forced, Optional<String> forceBy, String requester) {}

  /**
   * The person who answers.
   *
   * @param owns whether the person speaks for the owners of what runs on the hosts
   */
  public record Person(String name, boolean owns) {}

  /** Decides what the answer does. */
  public static Outcome of(Question question, Person by, Option answer) {
    if (answer != Option.FORCE) {
      return new Outcome.Decides(answer);
    }
    if (!question.forced() && question.forceBy().isEmpty()) {
      return new Outcome.AsksForForce();
    }
    if (question.forceBy().equals(Optional.of(by.name()))) {
      return new Outcome.Refused(
          by.name() + " asked for Force already: somebody else has to approve it");
    }
    if (question.requester().equals(by.name())) {
      return new Outcome.Refused(
          by.name() + " started the rollout: somebody else has to approve Force");
    }
    return by.owns()
        ? new Outcome.Decides(Option.FORCE)
        : new Outcome.Refused(
            "Force is approved by an owner of what runs there, which " + by.name() + " is not");
  }
}
