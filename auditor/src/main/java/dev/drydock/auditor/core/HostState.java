package dev.drydock.auditor.core;

import java.time.Instant;
import java.util.Map;

/**
 * A row of {@code observed_hosts}.
 *
 * @param effectMark only observations with this mark or a higher one count
 */
public record HostState(Instant at, String host, Map<String, String> labels, long effectMark) {
  public HostState {
    labels = Map.copyOf(labels);
  }
}
