package dev.drydock.impact.core;

/** A number of instances or units of capacity, absolute or as a share of what should be there. */
public sealed interface Amount {

  /** An absolute number. */
  record Count(int number) implements Amount {
    public Count {
      if (number < 0) {
        throw new IllegalArgumentException("a count must not be negative: " + number);
      }
    }

    @Override
    public String toString() {
      return Integer.toString(number);
    }
  }

  /** A share in whole percent. */
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

  /**
   * The number of instances this amount is of {@code desired} ones; rounds down, so that 10 % of
   * nine is none.
   */
  default int of(int desired) {
    return switch (this) {
      case Count(int number) -> number;
      case Percent(int percent) -> (int) ((long) desired * percent / 100);
    };
  }
}
