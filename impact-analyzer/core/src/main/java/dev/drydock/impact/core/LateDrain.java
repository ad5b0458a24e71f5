package dev.drydock.impact.core;

import java.time.Duration;
import java.util.Locale;

/**
 * What becomes of a host that is not drained in time.
 *
 * @param remind how long after a question people are reminded of it, and again
 * @param expires how long a question waits for its answer; the host is then requeued
 */
public record LateDrain(Way way, Duration remind, Duration expires) {
  /** Holds for policies that do not say. */
  public static final Duration DEFAULT_REMIND = Duration.ofMinutes(10);

  /** Holds for policies that do not say. */
  public static final Duration DEFAULT_EXPIRES = Duration.ofHours(1);

  /** Of a team that says nothing: the host is brought back and has failed. */
  public static final LateDrain UNSAID = new LateDrain(Way.REVERT, DEFAULT_REMIND, DEFAULT_EXPIRES);

  /** From the least to the most careful: the less happens there without people, the later. */
  public enum Way {
    /** What is left is stopped, once a second person approved. */
    FORCE,
    /** The host is brought back and has failed; nobody tries again. */
    REVERT,
    /** The host is brought back and tried again later. */
    REQUEUE,
    /** People say what is done. */
    ASK,
    /** The host is kept aside until people have looked. */
    QUARANTINE;

    /** Whether an answer of people is waited for. */
    public boolean asks() {
      return this == ASK || this == FORCE;
    }

    /** As policies write it. */
    public String word() {
      return name().charAt(0) + name().substring(1).toLowerCase(Locale.ROOT);
    }
  }

  /**
   * What holds where both have a say: the more careful way, and of the times of those who want it
   * the shorter.
   */
  LateDrain and(LateDrain other) {
    if (way != other.way) {
      return way.compareTo(other.way) > 0 ? this : other;
    }
    return new LateDrain(way, shorter(remind, other.remind), shorter(expires, other.expires));
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
