package dev.drydock.impact.core;

import java.time.Instant;

/**
 * An instance with its latest observation.
 *
 * @param zone its fault zone; empty when nobody told
 * @param capacity how much it counts where a rule is about capacity, in units that are its team's
 *     own: from 1, which is what counts when nobody told, to {@link #CAPACITY_MAX}
 * @param mark mark its reporter fetched before it began to read (protocol P6)
 * @param observedAt when the oldest source of the observation was read, never later than the mark
 *     was issued
 * @param vanished missing from the newest full report of its source: no longer allocated by its
 *     scheduler
 */
public record FleetInstance(
    String id,
    String application,
    String host,
    String zone,
    int capacity,
    Health health,
    long mark,
    Instant observedAt,
    boolean vanished) {
  /** So that a sum over millions of instances is still one that plans can count with. */
  public static final int CAPACITY_MAX = 10_000;

  public FleetInstance {
    if (capacity < 1 || capacity > CAPACITY_MAX) {
      throw new IllegalArgumentException(
          "the capacity of %s must be from 1 to %d units, not %d"
              .formatted(id, CAPACITY_MAX, capacity));
    }
  }
}
