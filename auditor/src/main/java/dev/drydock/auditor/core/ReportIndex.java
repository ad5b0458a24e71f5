package dev.drydock.auditor.core;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * The full reports of one source by the time they were received, for who asks from when on they say
 * something. A report may be received after one with a higher mark.
 */
final class ReportIndex {
  private final List<ObservationReport> reports;

  /** The highest mark up to this report. */
  private final long[] highest;

  /** The lowest mark from this report on. */
  private final long[] lowest;

  /** The earliest time of issue from this report on. */
  private final Instant[] earliest;

  ReportIndex(Collection<ObservationReport> byTime) {
    reports = List.copyOf(byTime);
    int n = reports.size();
    highest = new long[n];
    lowest = new long[n];
    earliest = new Instant[n];
    for (int i = 0; i < n; i++) {
      long mark = reports.get(i).mark();
      highest[i] = i == 0 ? mark : Math.max(highest[i - 1], mark);
    }
    for (int i = n - 1; i >= 0; i--) {
      ObservationReport report = reports.get(i);
      boolean last = i == n - 1;
      lowest[i] = last ? report.mark() : Math.min(lowest[i + 1], report.mark());
      earliest[i] =
          last || report.issuedAt().isBefore(earliest[i + 1]) ? report.issuedAt() : earliest[i + 1];
    }
  }

  /** Until then every report has a lower mark; the end of time if all have. */
  Instant allBelowUntil(long mark) {
    return first(i -> highest[i] >= mark);
  }

  /**
   * From then on every report has this mark or a higher one, and was issued after that time; the
   * end of time if the last has not.
   */
  Instant allFrom(long mark, Instant issuedAfter) {
    return first(i -> lowest[i] >= mark && earliest[i].isAfter(issuedAfter));
  }

  /** When the first was received for which it is so; it is so for all after that one as well. */
  private Instant first(IntPredicate so) {
    int low = 0;
    int high = reports.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (so.test(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low == reports.size() ? Instant.MAX : reports.get(low).receivedAt();
  }
}
