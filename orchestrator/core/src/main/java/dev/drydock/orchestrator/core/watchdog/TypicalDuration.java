package dev.drydock.orchestrator.core.watchdog;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * How long a phase usually takes in one cohort, learned from hosts that finished it.
 *
 * @param sample how many hosts it was learned from
 * @param p95 95 of 100 of them took no longer
 */
public record TypicalDuration(int sample, Duration p95) {
  /** Fewer hosts do not tell what is usual. */
  static final int SAMPLE_MIN = 10;

  /** A phase is late once it takes so many times its 95th percentile. */
  private static final int FACTOR = 3;

  /** Phases of a few seconds vary by more than a factor: none is late before this. */
  public static final Duration FLOOR = Duration.ofMinutes(2);

  private static final int PERCENT = 95;

  /** Learns it from the times of finished phases. Empty if there are too few of them. */
  public static Optional<TypicalDuration> of(Collection<Duration> finished) {
    if (finished.size() < SAMPLE_MIN) {
      return Optional.empty();
    }
    List<Duration> sorted = finished.stream().sorted().toList();
    int rank = (sorted.size() * PERCENT + 99) / 100;
    return Optional.of(new TypicalDuration(sorted.size(), sorted.get(rank - 1)));
  }

  /** A phase that takes longer than this is late. */
  Duration limit() {
    Duration far = p95.multipliedBy(FACTOR);
    return far.compareTo(FLOOR) > 0 ? far : FLOOR;
  }
}
