package dev.drydock.auditor.core;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A row of {@code jobs}.
 *
 * @param hook number of the hook it is of; 0 if of none
 * @param about hosts it is about: of a hook, those it told
 * @param attempt how often it was given to a consumer
 */
public record Job(
    String id,
    String grant,
    String step,
    String host,
    int round,
    int hook,
    List<String> about,
    String state,
    int attempt,
    Instant createdAt,
    Optional<Instant> endedAt) {

  public Job {
    about = List.copyOf(about);
  }

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
