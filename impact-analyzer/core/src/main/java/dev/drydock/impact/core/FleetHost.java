package dev.drydock.impact.core;

import java.util.Map;
import java.util.Optional;

/**
 * A host as the admission sees it.
 *
 * @param source who reports the host and what runs on it
 * @param vanished missing from the newest full report of its source
 * @param lastEffectMark observations before this mark say nothing about the host: the larger of the
 *     mark left by the end of its last lock and the mark of the last effect Drydock had on it
 * @param labels those that some rule asks for
 * @param inBatch whether a batch holds it, as of the view
 */
public record FleetHost(
    String name,
    String source,
    boolean vanished,
    long lastEffectMark,
    Map<String, String> labels,
    boolean inBatch) {
  public FleetHost {
    labels = Map.copyOf(labels);
  }

  /** The value of a label; empty when it has none or an empty one. */
  Optional<String> label(String key) {
    return Optional.ofNullable(labels.get(key)).filter(value -> !value.isEmpty());
  }
}
