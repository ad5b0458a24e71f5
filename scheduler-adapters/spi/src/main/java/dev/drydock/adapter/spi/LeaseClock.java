package dev.drydock.adapter.spi;

/**
 * A clock for leases: never steps, and counts the time a machine sleeps. {@link System#nanoTime()}
 * does not (on Linux it is CLOCK_MONOTONIC): after a suspend it would call a claim alive that the
 * board gave away long ago.
 */
public interface LeaseClock {
  /** Milliseconds since some fixed moment. */
  long millis();
}
