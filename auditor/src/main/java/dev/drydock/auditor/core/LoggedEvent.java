package dev.drydock.auditor.core;

import java.time.Instant;

/**
 * A row of {@code events}.
 *
 * @param id grows in the order of writing: of two events of one object the one written first has
 *     the lower
 * @param host empty for one of the whole rollout
 * @param grant empty when it names none
 * @param job empty when it names none
 * @param attempt 0 when it names none
 * @param state the state of a host upgrade; empty when it names none
 */
public record LoggedEvent(
    long id,
    Instant at,
    String kind,
    String host,
    String grant,
    String job,
    int attempt,
    String state) {

  /** As evidence. */
  String row() {
    return "events %d: %s%s at %s"
        .formatted(id, kind, job.isEmpty() ? "" : " of " + job + ", attempt " + attempt, at);
  }
}
