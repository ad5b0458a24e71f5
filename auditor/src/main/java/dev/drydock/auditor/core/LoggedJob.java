package dev.drydock.auditor.core;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A row of {@code jobs}.
 *
 * @param hook number of the hook it is of; 0 if of none
 * @param repair what a Repair does; empty for any other step
 * @param about hosts it is about: of a hook, those it told
 * @param attempt how often it was given to a consumer
 * @param begun whether anything was begun on the host, as its consumer told; empty if it did not
 */
public record LoggedJob(
    String id,
    String grant,
    String step,
    String host,
    int round,
    int hook,
    String repair,
    List<String> about,
    String state,
    int attempt,
    Instant createdAt,
    Optional<Instant> endedAt,
    Optional<Boolean> begun) {

  private static final Set<String> UPGRADES = Set.of("Update", "Reimage");
  private static final Set<String> READINGS = Set.of("Diagnose", "Verify");

  public LoggedJob {
    about = List.copyOf(about);
  }

  boolean upgrades() {
    return UPGRADES.contains(step);
  }

  /** Whether the system of its host is not what it was before, or was started anew. */
  boolean changesSystem() {
    return upgrades() || !(repair.isEmpty() || READINGS.contains(repair));
  }

  /** Whether somebody was sent to the host. */
  boolean given() {
    return attempt > 0;
  }

  /** Whether it may have changed its host: somebody was sent there, and did not say otherwise. */
  boolean mayHaveBegun() {
    return given() && begun.orElse(true);
  }

  boolean done() {
    return state.equals("Done");
  }

  /** As evidence. */
  String row() {
    return "jobs %s: %s, %d attempts".formatted(id, state, attempt);
  }
}
