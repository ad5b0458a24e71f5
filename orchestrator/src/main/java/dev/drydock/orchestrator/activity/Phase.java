package dev.drydock.orchestrator.activity;

import java.util.List;

/**
 * The phases of a batch, in the order of its way forward; {@link #UNDO} is the way back, and {@link
 * #RECLAIM} what comes before it when a run was lost.
 */
public enum Phase {
  /** Read the hosts that seem to be on the release already. */
  VERIFY,
  FREEZE,
  CONFIRM,
  OPEN,
  DRAIN,
  UPDATE,
  HEALTH,
  RECOVER,
  /** Recover where a drain began, lift the freeze elsewhere. */
  UNDO,
  /** Read what became of hosts whose update a lost run had begun, and bring those back. */
  RECLAIM;

  /** From the grant to the verified recovery. */
  public static List<Phase> forward() {
    return List.of(VERIFY, FREEZE, CONFIRM, OPEN, DRAIN, UPDATE, HEALTH, RECOVER);
  }
}
