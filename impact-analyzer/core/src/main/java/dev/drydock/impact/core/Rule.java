package dev.drydock.impact.core;

/** One capacity rule of a policy; all rules apply, so the strictest decides. */
public sealed interface Rule {

  /** At most this many of the desired instances may be not up, whatever took them down. */
  record MaxUnavailable(Amount amount) implements Rule {
    @Override
    public String toString() {
      return "maxUnavailable " + amount;
    }
  }

  /** At least this many instances must stay up. */
  record MinAvailable(int instances) implements Rule {
    public MinAvailable {
      if (instances < 0) {
        throw new IllegalArgumentException("minAvailable must not be negative: " + instances);
      }
    }

    @Override
    public String toString() {
      return "minAvailable " + instances;
    }
  }

  /** Instances that must stay up when {@code desired} should exist. */
  default int required(int desired) {
    return switch (this) {
      case MaxUnavailable(Amount amount) -> Math.max(0, desired - amount.of(desired));
      case MinAvailable(int instances) -> instances;
    };
  }
}
