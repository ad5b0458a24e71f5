package dev.drydock.orchestrator.activity;

import java.util.List;
import java.util.Locale;

/** The phases of a batch, in the order of its way forward; {@link #UNDO} is the way back. */
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
  UNDO;

  /** From the grant to the verified recovery. */
  public static List<Phase> forward() {
    return List.of(VERIFY, FREEZE, CONFIRM, OPEN, DRAIN, UPDATE, HEALTH, RECOVER);
  }

  /** The crash point of a step that writes how far this phase came. */
  String point(String moment) {
    return "phase-" + name().toLowerCase(Locale.ROOT) + "-" + moment;
  }
}
