package dev.drydock.impact.core;

import java.time.Duration;

/**
 * What a team wants done and watched before the rest of a rollout begins.
 *
 * @param hosts how many go first, at least one
 * @param soak how long after the last of them is done the rest still waits
 */
public record Canary(int hosts, Duration soak) {

  /** The most cautious of each number. */
  Canary and(Canary other) {
    return new Canary(
        Math.max(hosts, other.hosts), soak.compareTo(other.soak) >= 0 ? soak : other.soak);
  }
}
