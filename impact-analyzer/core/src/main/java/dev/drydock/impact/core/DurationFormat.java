package dev.drydock.impact.core;

import java.time.Duration;
import java.time.Instant;

/** Spans of time as policies write them: 90s, 5m, 24h. */
final class DurationFormat {
  private DurationFormat() {}

  /** In the largest unit that says it exactly. */
  static String of(Duration span) {
    long seconds = span.toSeconds();
    if (seconds % 3600 == 0 && seconds != 0) {
      return seconds / 3600 + "h";
    }
    return seconds % 60 == 0 && seconds != 0 ? seconds / 60 + "m" : seconds + "s";
  }

  static String ago(Instant then, Instant now) {
    return Math.max(0, Duration.between(then, now).toSeconds()) + " s";
  }
}
