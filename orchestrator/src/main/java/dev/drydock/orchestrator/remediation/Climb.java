package dev.drydock.orchestrator.remediation;

import dev.drydock.api.JobStep;
import dev.drydock.impact.core.Ladder.Rung;
import java.util.List;

/**
 * How each rung of a ladder is climbed. Pure. A new rung is a case of both methods; what it does
 * that is new is an {@link Action}.
 */
final class Climb {
  private Climb() {}

  /** Whether what was found lets it be tried. */
  static boolean allowed(Rung rung, Diagnosis found) {
    return switch (rung) {
      // Its executor attaches to what still runs there.
      case RETRY_STEP -> found.answers();
      // What runs there would be cut off.
      case POWER_CYCLE -> found.quiet();
    };
  }

  /** What is done for it, each once the one before it ended well; the last is the step itself. */
  static List<Action> actions(Rung rung, JobStep failed) {
    return switch (rung) {
      case RETRY_STEP -> List.of(Action.RETRY_STEP);
      // A host that was started anew is judged again before it is recovered (I5).
      case POWER_CYCLE ->
          failed == JobStep.Recover
              ? List.of(Action.POWER_CYCLE, Action.VERIFY, Action.HEALTH, Action.RESUME)
              : List.of(Action.POWER_CYCLE, Action.VERIFY, Action.RESUME);
    };
  }
}
