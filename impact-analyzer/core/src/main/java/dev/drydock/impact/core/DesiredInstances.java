package dev.drydock.impact.core;

/**
 * How many instances of an application should exist. Never derived from counting what answers:
 * budgets would shrink with every crash.
 */
public sealed interface DesiredInstances {

  /**
   * What the scheduler allocates: every instance in the inventory that has not vanished, unhealthy
   * and unknown ones included. This rests on a duty of adapters: a full report lists the
   * <em>allocation</em>, so a stopped or crashed instance is reported as unhealthy, not left out.
   * Then an instance that vanishes from a full report was taken away by its scheduler, and lowers
   * what is desired. The list of the static scheduler is its configuration file.
   */
  record FromScheduler() implements DesiredInstances {}

  /** A number set by the team. */
  record Exactly(int instances) implements DesiredInstances {
    public Exactly {
      if (instances < 0) {
        throw new IllegalArgumentException("desired must not be negative: " + instances);
      }
    }
  }

  /** The number, given what the scheduler allocates now. */
  default int instances(int allocated) {
    return switch (this) {
      case FromScheduler _ -> allocated;
      case Exactly(int instances) -> instances;
    };
  }
}
