package dev.drydock.orchestrator.remediation;

import dev.drydock.api.JobStep;
import dev.drydock.api.RepairAction;
import java.util.Optional;

/** One step of a remediation: what its job does. */
enum Action {
  DIAGNOSE("Diagnose"),
  RETRY_STEP("RetryStep"),
  POWER_CYCLE("PowerCycle"),
  VERIFY("Verify"),
  /** Judges the host again, before it may be recovered after it was switched off. */
  HEALTH("Health"),
  RESUME("Resume");

  private final String word;

  Action(String word) {
    this.word = word;
  }

  String word() {
    return word;
  }

  static Action of(String word) {
    for (Action action : values()) {
      if (action.word.equals(word)) {
        return action;
      }
    }
    throw new IllegalArgumentException("no action of a remediation: " + word);
  }

  /** Of a job of kind Repair. */
  Optional<RepairAction> repair() {
    return switch (this) {
      case DIAGNOSE -> Optional.of(RepairAction.Diagnose);
      case POWER_CYCLE -> Optional.of(RepairAction.PowerCycle);
      case VERIFY -> Optional.of(RepairAction.Verify);
      case RETRY_STEP, HEALTH, RESUME -> Optional.empty();
    };
  }

  /** Of which step another round is its job. */
  JobStep step(JobStep failed) {
    return switch (this) {
      case DIAGNOSE, POWER_CYCLE, VERIFY -> JobStep.Repair;
      case HEALTH -> JobStep.Health;
      case RETRY_STEP, RESUME -> failed;
    };
  }
}
