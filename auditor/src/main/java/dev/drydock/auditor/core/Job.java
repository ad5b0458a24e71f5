package dev.drydock.auditor.core;

import java.time.Instant;
import java.util.Optional;

/**
 * A row of {@code jobs}.
 *
 * @param attempt how often it was given to a consumer
 */
public record Job(
    String id,
    String grant,
    String step,
    String host,
    int round,
    String state,
    int attempt,
    Instant createdAt,
    Optional<Instant> endedAt) {

  /** Whether somebody was sent to the host. */
  boolean given() {
    return attempt > 0;
  }

  boolean done() {
    return state.equals("Done");
  }

  /** As evidence. */
  String row() {
    return "jobs %s: %s, %d attempts".formatted(id, state, attempt);
  }
}
