package dev.drydock.adapter.spi;

import java.time.Duration;

/**
 * How long a claim is certainly ours: counted from before the request that got or extended it was
 * sent. Once lost it stays lost. Thread-safe.
 */
public final class Lease {
  /**
   * How long after the end of a lease the board waits before it gives the job to the next consumer.
   */
  public static final Duration MARGIN = Duration.ofSeconds(5);

  private final LeaseClock clock;
  private long endMillis;
  private boolean lost;

  /**
   * @param sentMillis when the request that got the claim was sent, on that clock
   */
  public Lease(LeaseClock clock, long sentMillis, int seconds) {
    this.clock = clock;
    this.endMillis = sentMillis + seconds * 1000L;
  }

  /** Right before an effect. Throws when the effect must not be started. */
  public void requireLive() {
    if (!isLive()) {
      throw new LeaseLostException();
    }
  }

  public synchronized boolean isLive() {
    lost = lost || clock.millis() >= endMillis;
    return !lost;
  }

  synchronized long leftMillis() {
    return isLive() ? endMillis - clock.millis() : 0;
  }

  /** A heartbeat sent at that moment was answered. A lease that ended meanwhile is not revived. */
  synchronized void extend(long sentMillis, int seconds) {
    if (isLive()) {
      endMillis = Math.max(endMillis, sentMillis + seconds * 1000L);
    }
  }

  /** The board said that the claim is somebody else's. */
  synchronized void lose() {
    lost = true;
  }
}
