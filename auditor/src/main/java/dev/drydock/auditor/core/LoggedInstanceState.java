package dev.drydock.auditor.core;

import java.time.Instant;

/**
 * A row of {@code observed_instances}: what an instance became.
 *
 * @param at when it was written down
 * @param mark fetched by its reporter before it read
 * @param observedAt when it was read
 */
public record LoggedInstanceState(
    long id,
    Instant at,
    String instance,
    String application,
    String host,
    String zone,
    int capacity,
    String health,
    boolean vanished,
    String source,
    long mark,
    Instant observedAt) {

  /** As evidence. */
  String row() {
    return "observed_instances %d: %s on %s %s, mark %d, observed at %s"
        .formatted(id, instance, host, vanished ? "vanished" : health, mark, observedAt);
  }
}
