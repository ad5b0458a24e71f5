package dev.drydock.orchestrator.core.model;

import java.util.Optional;

/** One action of a remediation: what its job does. */
public enum RepairAction implements NamedConstant {
  DIAGNOSE,
  CLEAN_DISK,
  POWER_CYCLE,
  VERIFY,
  /** Does the step that failed again, on the host as it is. */
  RETRY_STEP,
  /** Stops what runs on a host that is out of service. Its recovery starts it. */
  RESTART_SERVICE,
  /** Brings the host back to the release it had before. */
  ROLL_BACK,
  /** Brings the host to the release by an installation. */
  REIMAGE,
  /** Judges the host again. */
  HEALTH,
  /** Does the step that failed again, after something was done to the host. */
  RESUME;

  /** What a Repair job is told to do; empty where the action is another round of a step. */
  public Optional<String> repair() {
    return switch (this) {
      case DIAGNOSE, CLEAN_DISK, POWER_CYCLE, VERIFY -> Optional.of(word());
      case RESTART_SERVICE, ROLL_BACK, REIMAGE, HEALTH, RETRY_STEP, RESUME -> Optional.empty();
    };
  }

  /** Its job is another round of this step. */
  public Step step(Step failed) {
    return switch (this) {
      case DIAGNOSE, CLEAN_DISK, POWER_CYCLE, VERIFY -> Step.REPAIR;
      case RESTART_SERVICE -> Step.DRAIN;
      case ROLL_BACK, REIMAGE -> Step.UPDATE;
      case HEALTH -> Step.HEALTH;
      case RETRY_STEP, RESUME -> failed;
    };
  }

  /** The step that failed when the action did: what only prepares a step fails as that step. */
  public Step fails(Step failed) {
    return switch (this) {
      case DIAGNOSE, CLEAN_DISK, POWER_CYCLE, VERIFY, RESTART_SERVICE, RETRY_STEP, RESUME -> failed;
      case ROLL_BACK, REIMAGE, HEALTH -> step(failed);
    };
  }

  /** Whether it does something to the host that was not to be done anyway. */
  public boolean acts() {
    return switch (this) {
      case RESTART_SERVICE, CLEAN_DISK, POWER_CYCLE, ROLL_BACK, REIMAGE -> true;
      case DIAGNOSE, VERIFY, RETRY_STEP, HEALTH, RESUME -> false;
    };
  }

  /** Whether the action after it finds out what became of it if its own result is unknown. */
  public boolean seenByTheNext() {
    return this == POWER_CYCLE;
  }

  /** Whether a Repair of this word only reads the host. */
  public static boolean reads(String repair) {
    return repair.equals(DIAGNOSE.word()) || repair.equals(VERIFY.word());
  }
}
