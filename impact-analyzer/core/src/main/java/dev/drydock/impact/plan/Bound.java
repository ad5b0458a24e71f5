package dev.drydock.impact.plan;

/**
 * A time before which no plan can end, and why.
 *
 * @param formula in words, with the numbers put in
 */
public record Bound(long millis, String formula) {

  Bound or(Bound other) {
    return other.millis > millis ? other : this;
  }
}
