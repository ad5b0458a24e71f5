package dev.drydock.impact.core;

/**
 * How many hosts of a rollout may fail before no further one begins.
 *
 * @param maxFailed a number, or a share of those that have ended
 * @param minSample a share says nothing before so many have ended
 */
public record FailureBudget(Amount maxFailed, int minSample) {
  /** Holds for policies that do not say. */
  public static final int DEFAULT_MIN_SAMPLE = 10;

  /**
   * Whether more failed than may.
   *
   * @param ended hosts that have ended, those that failed included
   */
  public boolean exceeded(int failed, int ended) {
    return switch (maxFailed) {
      case Amount.Count(int most) -> failed > most;
      case Amount.Percent(int most) -> ended >= minSample && 100L * failed > (long) most * ended;
    };
  }

  @Override
  public String toString() {
    return maxFailed instanceof Amount.Percent
        ? "maxFailed %s of at least %d".formatted(maxFailed, minSample)
        : "maxFailed " + maxFailed;
  }
}
