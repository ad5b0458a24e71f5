package dev.drydock.impact.plan;

import java.util.Locale;

/** Spans of planned time for people. */
final class PlanTimeFormat {
  private PlanTimeFormat() {}

  /** Such as 2.5 h or 40 min. */
  static String span(long millis) {
    double minutes = millis / 60_000.0;
    return minutes >= 90
        ? String.format(Locale.ROOT, "%.1f h", minutes / 60)
        : String.format(Locale.ROOT, "%.1f min", minutes);
  }
}
