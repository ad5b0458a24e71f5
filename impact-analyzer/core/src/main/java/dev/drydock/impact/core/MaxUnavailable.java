package dev.drydock.impact.core;

/** At most this many of the desired instances may be not up, whatever took them down. */
public record MaxUnavailable(Amount amount) implements CapacityRule {

  @Override
  public int required(int desired) {
    return Math.max(0, desired - amount.of(desired));
  }

  @Override
  public String toString() {
    return "maxUnavailable " + amount;
  }
}
