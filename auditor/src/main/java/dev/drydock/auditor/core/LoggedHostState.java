package dev.drydock.auditor.core;

import java.time.Instant;
import java.util.Map;

/**
 * A row of {@code observed_hosts}.
 *
 * @param effectMark only observations with this mark or a higher one count
 */
public record LoggedHostState(
    Instant at, String host, Map<String, String> labels, long effectMark) {
  public LoggedHostState {
    labels = Map.copyOf(labels);
  }
}
