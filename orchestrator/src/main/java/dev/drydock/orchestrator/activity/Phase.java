package dev.drydock.orchestrator.activity;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The phases of a batch, in the order of its way forward; {@link #UNDO} is the way back, and {@link
 * #RECLAIM} what comes before it when a run was lost.
 */
public enum Phase {
  /** Read the hosts that seem to be on the release already. */
  VERIFY,
  FREEZE,
  CONFIRM,
  /** Hooks of the stage. Whatever they take, the check after them looks again (protocol P7). */
  BEFORE_UNDEPLOY,
  OPEN,
  DRAIN,
  AFTER_UNDEPLOY,
  UPDATE,
  HEALTH,
  BEFORE_DEPLOY,
  RECOVER,
  AFTER_DEPLOY,
  /** Take back what hooks did, recover where a drain began, lift the freeze elsewhere. */
  UNDO,
  /** Read what became of hosts whose update a lost run had begun, and bring those back. */
  RECLAIM;

  /** From the grant to the verified recovery. */
  public static List<Phase> forward() {
    return List.of(
        VERIFY,
        FREEZE,
        CONFIRM,
        BEFORE_UNDEPLOY,
        OPEN,
        DRAIN,
        AFTER_UNDEPLOY,
        UPDATE,
        HEALTH,
        BEFORE_DEPLOY,
        RECOVER,
        AFTER_DEPLOY);
  }

  /** What follows on the way forward; empty after the last, and beside that way. */
  public Optional<Phase> next() {
    int after = forward().indexOf(this) + 1;
    return after == 0 || after == forward().size()
        ? Optional.empty()
        : Optional.of(forward().get(after));
  }

  /** Whether it is a stage of hooks: a batch without any passes it by. */
  public boolean ofHooks() {
    return switch (this) {
      case BEFORE_UNDEPLOY, AFTER_UNDEPLOY, BEFORE_DEPLOY, AFTER_DEPLOY -> true;
      case VERIFY, FREEZE, CONFIRM, OPEN, DRAIN, UPDATE, HEALTH, RECOVER, UNDO, RECLAIM -> false;
    };
  }

  /** The crash point of a step that writes how far this phase came. */
  String point(String moment) {
    return "phase-" + name().toLowerCase(Locale.ROOT) + "-" + moment;
  }
}
