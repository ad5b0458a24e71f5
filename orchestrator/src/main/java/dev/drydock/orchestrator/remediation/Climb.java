package dev.drydock.orchestrator.remediation;

import dev.drydock.api.JobStep;
import dev.drydock.impact.core.Ladder.Rung;
import java.util.ArrayList;
import java.util.List;

/**
 * How each rung of a ladder is climbed. Pure. A new rung is a case of both methods; what it does
 * that is new is an {@link Action}.
 */
final class Climb {
  private Climb() {}

  /** Whether what was found lets it be tried. */
  static boolean allowed(Rung rung, JobStep failed, Diagnosis found) {
    return found.helps(rung)
        && switch (rung) {
          // Its executor attaches to what still runs there.
          case RETRY_STEP -> found.answers();
          // Before that nothing of theirs is to be started.
          case RESTART_SERVICE -> failed == JobStep.Recover && found.answers();
          // What runs there may be writing what would be removed.
          case CLEAN_DISK, ROLL_BACK -> found.answers() && found.quiet();
          // What runs there would be cut off.
          case POWER_CYCLE -> found.quiet();
          // Who does not answer keeps no sums, and without them its data could not be proven.
          case REIMAGE -> found.quiet() && (found.answers() || found.dataOwed());
        };
  }

  /**
   * What is done for it, each once the one before it ended well; the last is the step itself. No
   * host is recovered that was not judged since it was changed (I5).
   */
  static List<Action> actions(Rung rung, JobStep failed) {
    List<Action> actions =
        switch (rung) {
          case RETRY_STEP -> List.of(Action.RETRY_STEP);
          case RESTART_SERVICE -> List.of(Action.RESTART_SERVICE, Action.RESUME);
          case CLEAN_DISK -> List.of(Action.CLEAN_DISK, Action.RESUME);
          case POWER_CYCLE -> List.of(Action.POWER_CYCLE, Action.VERIFY, Action.RESUME);
          case ROLL_BACK -> updated(failed, Action.ROLL_BACK);
          case REIMAGE -> updated(failed, Action.REIMAGE);
        };
    return failed == JobStep.Recover ? judged(actions) : actions;
  }

  /** What is an Update itself. */
  private static List<Action> updated(JobStep failed, Action by) {
    return failed == JobStep.Update ? List.of(by) : List.of(by, Action.RESUME);
  }

  private static List<Action> judged(List<Action> actions) {
    List<Action> judged = new ArrayList<>(actions);
    judged.add(actions.size() - 1, Action.HEALTH);
    return judged;
  }
}
