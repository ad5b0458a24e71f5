package dev.drydock.lock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * For how long a waiting ticket was passed, as stored under {@code passed/<id>}. The clock starts
 * when somebody goes before it for the first time, and stands still while the ticket is blocked.
 *
 * @param spent up to {@code since}
 * @param since from when it goes on, by the clock of the grantor; empty while it stands still
 */
public record BackfillClock(Duration spent, Optional<Instant> since) {

  /** A clock that starts. */
  static BackfillClock starting(Instant now) {
    return new BackfillClock(Duration.ZERO, Optional.of(now));
  }

  /** How much there is by now. A clock of a grantor that was ahead adds nothing. */
  public Duration at(Instant now) {
    return since
        .filter(begin -> begin.isBefore(now))
        .map(begin -> spent.plus(Duration.between(begin, now)))
        .orElse(spent);
  }

  BackfillClock standing(Instant now) {
    return new BackfillClock(at(now), Optional.empty());
  }

  BackfillClock going(Instant now) {
    return new BackfillClock(at(now), Optional.of(now));
  }

  /** Whether it goes on since then or before. */
  boolean goes(Instant now) {
    return since.filter(begin -> !begin.isAfter(now)).isPresent();
  }
}
