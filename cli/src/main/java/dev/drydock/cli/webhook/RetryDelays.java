package dev.drydock.cli.webhook;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** How long to wait before the next attempt. */
public interface RetryDelays {
  /** Returns when the attempt after this one, counted from 1, may begin. */
  void after(int attempt) throws InterruptedException;

  /** Twice as long each time, from one second to a minute, each by chance up to a half shorter. */
  static RetryDelays growing() {
    return attempt -> Thread.sleep(length(attempt, ThreadLocalRandom.current().nextDouble()));
  }

  /**
   * The length of one.
   *
   * @param chance from 0 to 1
   */
  static Duration length(int attempt, double chance) {
    long full = Math.min(60_000, 1000L << Math.min(attempt - 1, 6));
    return Duration.ofMillis(full - (long) (full / 2.0 * chance));
  }
}
