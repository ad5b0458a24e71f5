package dev.drydock.orchestrator.watchdog;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * How long a phase usually takes in one cohort: hosts of one hardware class that brought one
 * application to one release. Pure.
 *
 * @param sample how many it was learned from
 * @param p95 nineteen of twenty took no longer
 */
record UsualTime(int sample, Duration p95) {
  /** Fewer say nothing of what is usual. */
  static final int SAMPLE_MIN = 10;

  /** How often p95 is far past it. */
  private static final int FAR = 3;

  /** What takes seconds varies by more than its multiple. */
  static final Duration FLOOR = Duration.ofMinutes(2);

  private static final int PERCENT = 95;

  /** Of the times that finished ones took; empty when there are too few of them. */
  static Optional<UsualTime> of(Collection<Duration> finished) {
    if (finished.size() < SAMPLE_MIN) {
      return Optional.empty();
    }
    List<Duration> sorted = finished.stream().sorted().toList();
    int rank = (sorted.size() * PERCENT + 99) / 100;
    return Optional.of(new UsualTime(sorted.size(), sorted.get(rank - 1)));
  }

  /** From when on it takes far longer than it usually does. */
  Duration limit() {
    Duration far = p95.multipliedBy(FAR);
    return far.compareTo(FLOOR) > 0 ? far : FLOOR;
  }
}
