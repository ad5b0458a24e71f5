package dev.drydock.impact.core;

/** At least this many instances must stay up. */
public record MinAvailable(int instances) implements CapacityRule {
  public MinAvailable {
    if (instances < 0) {
      throw new IllegalArgumentException("minAvailable must not be negative: " + instances);
    }
  }

  @Override
  public int required(int desired) {
    return instances;
  }

  @Override
  public String toString() {
    return "minAvailable " + instances;
  }
}
