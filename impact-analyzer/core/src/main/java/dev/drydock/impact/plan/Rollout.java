package dev.drydock.impact.plan;

import java.time.Duration;

/**
 * Hosts somebody wants done.
 *
 * @param priority the higher goes first; each hour of age counts as one more, up to the highest
 *     priority of all, and each day beyond it, so that nobody waits for ever. Those alike share
 *     fairly
 * @param age how long ago it was submitted
 * @param hosts by number; what is on none of them stays up
 * @param canaryHosts how many of them, at least, are done and watched before the rest begins; 0 for
 *     none
 * @param soak how long they are watched once they are done
 */
public record Rollout(
    String id, int priority, Duration age, int[] hosts, int canaryHosts, Duration soak) {

  /** All of it alike, at once. */
  public static Rollout of(String id, int... hosts) {
    return new Rollout(id, 0, Duration.ZERO, hosts, 0, Duration.ZERO);
  }
}
