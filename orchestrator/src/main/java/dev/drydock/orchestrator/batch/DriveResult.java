package dev.drydock.orchestrator.batch;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What a look at a batch led to.
 *
 * @param ended whether the end of the batch is written
 * @param rest after how long to look again, even if nothing happens meanwhile
 */
public record DriveResult(boolean ended, Duration rest) {
  /** A wake-up may be lost: the batch is looked at so often without one. */
  public static final Duration REST_MAX = Duration.ofSeconds(20);

  private static final Duration REST_MIN = Duration.ofSeconds(1);

  static DriveResult over() {
    return new DriveResult(true, Duration.ZERO);
  }

  /** Nothing more can be done now. */
  static DriveResult resting(Instant now, Optional<Instant> until) {
    Duration rest = until.map(then -> Duration.between(now, then)).orElse(REST_MAX);
    return new DriveResult(false, bounded(rest));
  }

  private static Duration bounded(Duration rest) {
    if (rest.compareTo(REST_MIN) < 0) {
      return REST_MIN;
    }
    return rest.compareTo(REST_MAX) > 0 ? REST_MAX : rest;
  }
}
