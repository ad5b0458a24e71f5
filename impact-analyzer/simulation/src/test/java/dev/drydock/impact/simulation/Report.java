package dev.drydock.impact.simulation;

import dev.drydock.impact.core.Health;
import java.time.Instant;
import java.util.List;

/**
 * All a source has to say.
 *
 * @param mark fetched before it began to read
 * @param at when it read
 */
record Report(String source, long mark, Instant at, List<Seen> instances) {

  /** One instance as it was read. */
  record Seen(
      String id, String application, String host, String zone, int capacity, Health health) {}
}
