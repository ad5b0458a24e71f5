package dev.drydock.orchestrator.core.model;

import java.util.Locale;

/** How far the checks of a grant came. */
public enum GrantStage implements NamedConstant {
  /** Granted, no check passed yet. */
  PROVISIONAL,
  /** The first check passed: what really runs on the hosts may go down. */
  CONFIRMED,
  /** The second check passed: hosts may be drained. */
  OPEN;

  @Override
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
