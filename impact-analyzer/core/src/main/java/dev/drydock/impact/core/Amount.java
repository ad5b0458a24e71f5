package dev.drydock.impact.core;

/** A number of instances, absolute or as a share of what is desired. */
public sealed interface Amount {

  /** An absolute number. */
  record Count(int instances) implements Amount {
    public Count {
      if (instances < 0) {
        throw new IllegalArgumentException("a count must not be negative: " + instances);
      }
    }

    @Override
    public String toString() {
      return Integer.toString(instances);
    }
  }

  /** A share in whole percent; rounds down, so that 10 % of nine instances is none. */
  record Percent(int percent) implements Amount {
    public Percent {
      if (percent < 0 || percent > 100) {
        throw new IllegalArgumentException("a share must be between 0 % and 100 %: " + percent);
      }
    }

    @Override
    public String toString() {
      return percent + "%";
    }
  }

  /** The number of instances this amount is of {@code desired} ones. */
  default int of(int desired) {
    return switch (this) {
      case Count(int instances) -> instances;
      case Percent(int percent) -> (int) ((long) desired * percent / 100);
    };
  }
}
