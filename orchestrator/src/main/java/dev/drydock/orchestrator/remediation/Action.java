package dev.drydock.orchestrator.remediation;

import dev.drydock.api.JobStep;
import dev.drydock.api.RepairAction;
import java.util.Optional;
import java.util.stream.Stream;

/** One step of a remediation: what its job does. */
enum Action {
  DIAGNOSE(RepairAction.Diagnose),
  CLEAN_DISK(RepairAction.CleanDisk),
  POWER_CYCLE(RepairAction.PowerCycle),
  VERIFY(RepairAction.Verify),
  /** Does the step that failed again, on the host as it is. */
  RETRY_STEP("RetryStep"),
  /** Stops what runs on a host that is out of service; its recovery starts it. */
  RESTART_SERVICE("RestartService"),
  /** Brings the host back to the release it had before. */
  ROLL_BACK("RollBack"),
  /** Brings the host to the release by an installation. */
  REIMAGE("Reimage"),
  /** Judges the host again. */
  HEALTH("Health"),
  /** Does the step that failed again, after something was done to the host. */
  RESUME("Resume");

  private final String word;
  private final Optional<RepairAction> repair;

  Action(RepairAction repair) {
    this.word = repair.name();
    this.repair = Optional.of(repair);
  }

  Action(String word) {
    this.word = word;
    this.repair = Optional.empty();
  }

  String word() {
    return word;
  }

  static Action of(String word) {
    return Stream.of(values())
        .filter(action -> action.word.equals(word))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no action of a remediation: " + word));
  }

  /** Of a job of kind Repair. */
  Optional<RepairAction> repair() {
    return repair;
  }

  /** Of which step another round is its job. */
  JobStep step(JobStep failed) {
    return switch (this) {
      case DIAGNOSE, CLEAN_DISK, POWER_CYCLE, VERIFY -> JobStep.Repair;
      case RESTART_SERVICE -> JobStep.Drain;
      case ROLL_BACK, REIMAGE -> JobStep.Update;
      case HEALTH -> JobStep.Health;
      case RETRY_STEP, RESUME -> failed;
    };
  }

  /** Which step fails where it does: what only prepares a step fails as that step. */
  JobStep fails(JobStep failed) {
    return switch (this) {
      case DIAGNOSE, CLEAN_DISK, POWER_CYCLE, VERIFY, RESTART_SERVICE, RETRY_STEP, RESUME -> failed;
      case ROLL_BACK, REIMAGE, HEALTH -> step(failed);
    };
  }

  /** Whether it does something to the host that was not to be done anyway. */
  boolean acts() {
    return switch (this) {
      case RESTART_SERVICE, CLEAN_DISK, POWER_CYCLE, ROLL_BACK, REIMAGE -> true;
      case DIAGNOSE, VERIFY, RETRY_STEP, HEALTH, RESUME -> false;
    };
  }

  /** Whether what became of it, where nobody knows, is found out by what follows it. */
  boolean seenByTheNext() {
    return this == POWER_CYCLE;
  }
}
