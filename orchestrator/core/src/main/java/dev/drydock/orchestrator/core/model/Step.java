package dev.drydock.orchestrator.core.model;

/** What a job does to a host, or a hook to a batch. */
public enum Step implements NamedConstant {
  /** Read whether the host is on the release already. */
  VERIFY,
  /** Stop placement on the host. */
  CORDON,
  /** A hook of a team. */
  HOOK,
  DRAIN,
  UPDATE,
  HEALTH,
  /** One action of a remediation. */
  REPAIR,
  /** Start and verify the instances of the host, and put them back into rotation. */
  RECOVER,
  /** Allow placement on the host again. */
  UNCORDON,
  /** A hook of a team on the way back. */
  UNHOOK;

  /**
   * Whether the host operator does it; the scheduler's adapter or a hook worker does the others.
   */
  public boolean onHost() {
    return switch (this) {
      case VERIFY, UPDATE, HEALTH, REPAIR -> true;
      case CORDON, HOOK, DRAIN, RECOVER, UNCORDON, UNHOOK -> false;
    };
  }

  /** Whether it only leads forward: a batch that goes back does not need it any more. */
  public boolean leadsForward() {
    return switch (this) {
      case VERIFY, CORDON, HOOK, DRAIN, UPDATE, HEALTH, REPAIR -> true;
      case RECOVER, UNCORDON, UNHOOK -> false;
    };
  }

  /**
   * Whether a host is shown to be at this step. A host in repair is shown at the step that failed,
   * and hooks are shown for all hosts together.
   */
  public boolean shown() {
    return switch (this) {
      case VERIFY, CORDON, DRAIN, UPDATE, HEALTH, RECOVER, UNCORDON -> true;
      case REPAIR, HOOK, UNHOOK -> false;
    };
  }

  /**
   * Whether it is put on the board again for as long as nobody claims it: the host needs it. A
   * batch whose other steps nobody claims goes back, as nothing was taken from its hosts yet.
   */
  public boolean outlastsSilence() {
    return switch (this) {
      case UPDATE, HEALTH, REPAIR, RECOVER, UNCORDON, UNHOOK -> true;
      case VERIFY, CORDON, HOOK, DRAIN -> false;
    };
  }

  /** Whether it only reads the host. */
  public boolean reads() {
    return this == VERIFY || this == HEALTH;
  }
}
