package dev.drydock.auditor.core;

import java.time.Instant;
import java.util.Optional;

/**
 * A row of {@code checks}.
 *
 * @param kind confirm or open
 * @param state requested, Grant or Hold
 */
public record BatchCheck(
    String grant, String kind, int round, String state, Optional<Instant> decidedAt) {

  /** Whether it let the batch begin its first undeploy. */
  boolean opened() {
    return kind.equals("open") && state.equals("Grant");
  }
}
