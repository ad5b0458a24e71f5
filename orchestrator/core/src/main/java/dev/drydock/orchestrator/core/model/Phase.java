package dev.drydock.orchestrator.core.model;

import dev.drydock.impact.core.PolicyHook.Stage;
import java.util.List;
import java.util.Optional;

/**
 * The phases of a batch, in the order of its way forward. {@link #UNDO} is the way back. {@link
 * #RECLAIM} comes before it when a workflow run was lost.
 */
public enum Phase {
  /** Read the hosts that seem to be on the release already. */
  VERIFY,
  CORDON,
  CONFIRM,
  /** Hooks of the stage. The check after them looks again (protocol P7). */
  BEFORE_UNDEPLOY,
  OPEN,
  DRAIN,
  AFTER_UNDEPLOY,
  UPDATE,
  HEALTH,
  BEFORE_DEPLOY,
  RECOVER,
  AFTER_DEPLOY,
  /** Take back what hooks did, recover where a drain began, lift the cordon elsewhere. */
  UNDO,
  /** Read what became of hosts whose update a lost run had begun, and bring those back. */
  RECLAIM;

  private static final List<Phase> FORWARD =
      List.of(
          VERIFY,
          CORDON,
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

  /** From the grant to the verified recovery. */
  public static List<Phase> forward() {
    return FORWARD;
  }

  /** The next phase of the way forward; empty after the last one. */
  public Optional<Phase> next() {
    int after = FORWARD.indexOf(this) + 1;
    return after == 0 || after == FORWARD.size()
        ? Optional.empty()
        : Optional.of(FORWARD.get(after));
  }

  /** The step whose jobs a phase publishes; empty for checks, hooks and the ways back. */
  public Optional<Step> step() {
    return switch (this) {
      case VERIFY -> Optional.of(Step.VERIFY);
      case CORDON -> Optional.of(Step.CORDON);
      case DRAIN -> Optional.of(Step.DRAIN);
      case UPDATE -> Optional.of(Step.UPDATE);
      case HEALTH -> Optional.of(Step.HEALTH);
      case RECOVER -> Optional.of(Step.RECOVER);
      case CONFIRM,
          OPEN,
          BEFORE_UNDEPLOY,
          AFTER_UNDEPLOY,
          BEFORE_DEPLOY,
          AFTER_DEPLOY,
          UNDO,
          RECLAIM ->
          Optional.empty();
    };
  }

  /** The stage of hooks that a phase runs. */
  public Optional<Stage> stage() {
    return switch (this) {
      case BEFORE_UNDEPLOY -> Optional.of(Stage.BEFORE_UNDEPLOY);
      case AFTER_UNDEPLOY -> Optional.of(Stage.AFTER_UNDEPLOY);
      case BEFORE_DEPLOY -> Optional.of(Stage.BEFORE_DEPLOY);
      case AFTER_DEPLOY -> Optional.of(Stage.AFTER_DEPLOY);
      case VERIFY, CORDON, CONFIRM, OPEN, DRAIN, UPDATE, HEALTH, RECOVER, UNDO, RECLAIM ->
          Optional.empty();
    };
  }

  /** Whether it is a stage of hooks: a batch without any skips it. */
  public boolean ofHooks() {
    return stage().isPresent();
  }

  /** Whether every host can still be brought back to how it was. */
  public boolean beforeUpdate() {
    return compareTo(UPDATE) < 0;
  }

  /** Whether a host cannot be as it was when the phase fails: repairs may be tried there. */
  public boolean repairable() {
    return this == UPDATE || this == HEALTH || this == RECOVER;
  }
}
