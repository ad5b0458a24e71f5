package dev.drydock.orchestrator.drain;

import dev.drydock.api.DrainAnswer;
import java.util.Optional;

/**
 * What an answer does to a question that is open. Pure.
 *
 * <ol>
 *   <li>Any answer but Force settles it.
 *   <li>Force is first asked for, by a person or by the policy, and then approved by somebody else:
 *       an owner of what runs there who neither asked for it nor started the rollout.
 * </ol>
 */
sealed interface Ruling {

  /** It is so. */
  record Settled(DrainAnswer answer) implements Ruling {}

  /** The answer stands once somebody else approves it. */
  record Asked() implements Ruling {}

  /** It may not be said by this principal. */
  record Refused(String why) implements Ruling {}

  /**
   * The question as it stands.
   *
   * @param forced whether the policy itself asks for Force
   * @param forceBy who asked for Force
   * @param requester who started the rollout
   */
  record Standing(boolean forced, Optional<String> forceBy, String requester) {}

  /**
   * Who answers.
   *
   * @param owns whether for the owners of what runs on the hosts
   */
  record Person(String name, boolean owns) {}

  static Ruling of(Standing standing, Person by, DrainAnswer answer) {
    if (answer != DrainAnswer.Force) {
      return new Settled(answer);
    }
    if (!standing.forced() && standing.forceBy().isEmpty()) {
      return new Asked();
    }
    if (standing.forceBy().equals(Optional.of(by.name()))) {
      return new Refused(by.name() + " asked for Force already: somebody else has to approve it");
    }
    if (standing.requester().equals(by.name())) {
      return new Refused(by.name() + " started the rollout: somebody else has to approve Force");
    }
    return by.owns()
        ? new Settled(DrainAnswer.Force)
        : new Refused(
            "Force is approved by an owner of what runs there, which " + by.name() + " is not");
  }
}
