package dev.drydock.lock.core;

import java.time.Duration;

/**
 * How far a later request may go before an earlier one.
 *
 * @param passedMax how long any ticket may be passed, in all; zero keeps the order strict
 * @param margin how much later than by its maximum a lock may be gone
 */
public record Backfill(Duration passedMax, Duration margin) {
  /** Half an hour; margin for a term that begins late and for a lease that ends late. */
  public static final Backfill DEFAULT =
      new Backfill(Duration.ofMinutes(30), Duration.ofSeconds(15));
}
