package dev.drydock.lock.core;

/** What the ids of holds tell: people and FleetLock clients hold by the same kind of lock. */
public final class HoldIds {
  /** How the ids of holds of people begin. */
  public static final String MAINTENANCE = "m-";

  private HoldIds() {}

  /** Whether somebody works by hand where {@code id} holds. */
  public static boolean byHand(String id) {
    return id.startsWith(MAINTENANCE);
  }
}
