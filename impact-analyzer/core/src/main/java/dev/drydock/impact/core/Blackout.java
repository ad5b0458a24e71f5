package dev.drydock.impact.core;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.List;

/**
 * A time in which no work begins or is under way by plan. Where clocks show one of its limits twice
 * it is the longer one, where they skip it the moment of the change.
 *
 * @param to the first moment after it
 */
public record Blackout(ZoneId zone, LocalDateTime from, LocalDateTime to, String reason) {

  Instant begin() {
    return instant(from, true);
  }

  Instant end() {
    return instant(to, false);
  }

  private Instant instant(LocalDateTime local, boolean earlier) {
    ZoneOffsetTransition change = zone.getRules().getTransition(local);
    if (change != null && change.isGap()) {
      return change.getInstant();
    }
    List<ZoneOffset> offsets = zone.getRules().getValidOffsets(local);
    return local.toInstant(earlier ? offsets.getFirst() : offsets.getLast());
  }

  boolean contains(Instant when) {
    return !when.isBefore(begin()) && when.isBefore(end());
  }

  /** Whether it begins while work runs that begins at {@code when}. */
  boolean beginsWithin(Instant when, Instant end) {
    return when.isBefore(begin()) && begin().isBefore(end);
  }
}
