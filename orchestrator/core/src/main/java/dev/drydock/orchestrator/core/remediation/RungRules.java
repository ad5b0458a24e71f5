package dev.drydock.orchestrator.core.remediation;

import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.Step;
import java.util.ArrayList;
import java.util.List;

/**
 * When each rung of a ladder may be tried, and by which actions. A new rung is a case of both
 * methods; what it does that is new is a {@link RepairAction}.
 */
final class RungRules {
  private RungRules() {}

  /**
   * Whether what was found lets the rung be tried. A rung that changes the host is tried where it
   * is known what the host has, where policies want it although that is not known, and where people
   * decide.
   */
  static boolean allowed(Rung rung, Step failed, Ladder ladder, Diagnosis found) {
    boolean opened =
        rung == Rung.RETRY_STEP
            || found.recognised()
            || ladder.onUnknown().contains(rung)
            || ladder.approve().contains(rung);
    return opened
        && found.helps(rung)
        && switch (rung) {
          // Its executor attaches to what still runs there.
          case RETRY_STEP -> found.answers();
          // Before the recovery nothing of theirs is to be started.
          case RESTART_SERVICE -> failed == Step.RECOVER && found.answers();
          // What runs there may be writing what would be removed.
          case CLEAN_DISK, ROLL_BACK -> found.answers() && found.quiet();
          // What runs there would be cut off.
          case POWER_CYCLE -> found.quiet();
          // A host that does not answer keeps no sums, and without them its data is not proven.
          case REIMAGE -> found.quiet() && (found.answers() || found.dataOwed());
        };
  }

  /** Whether the rung would cut off or undo what others do on the host: it waits for them. */
  static boolean disturbs(Rung rung) {
    return switch (rung) {
      case RETRY_STEP, RESTART_SERVICE, CLEAN_DISK -> false;
      case POWER_CYCLE, ROLL_BACK, REIMAGE -> true;
    };
  }

  /**
   * What is done for a rung, each action once the one before it ended well. The last one is the
   * step that failed. No host is recovered that was not judged since it was changed (I5).
   */
  static List<RepairAction> actions(Rung rung, Step failed) {
    List<RepairAction> actions =
        switch (rung) {
          case RETRY_STEP -> List.of(RepairAction.RETRY_STEP);
          case RESTART_SERVICE -> List.of(RepairAction.RESTART_SERVICE, RepairAction.RESUME);
          case CLEAN_DISK -> List.of(RepairAction.CLEAN_DISK, RepairAction.RESUME);
          case POWER_CYCLE ->
              List.of(RepairAction.POWER_CYCLE, RepairAction.VERIFY, RepairAction.RESUME);
          case ROLL_BACK -> updated(failed, RepairAction.ROLL_BACK);
          case REIMAGE -> updated(failed, RepairAction.REIMAGE);
        };
    return failed == Step.RECOVER ? judgedBeforeTheLast(actions) : actions;
  }

  /** Of an action that is an Update itself. */
  private static List<RepairAction> updated(Step failed, RepairAction by) {
    return failed == Step.UPDATE ? List.of(by) : List.of(by, RepairAction.RESUME);
  }

  private static List<RepairAction> judgedBeforeTheLast(List<RepairAction> actions) {
    List<RepairAction> judged = new ArrayList<>(actions);
    judged.add(actions.size() - 1, RepairAction.HEALTH);
    return judged;
  }
}
