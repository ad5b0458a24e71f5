package dev.drydock.impact.plan;

/** How long may still be searched. The core has no clock: whoever calls it knows when to stop. */
@FunctionalInterface
public interface Budget {
  boolean isLeft();

  /** No search: the first plan is taken. */
  static Budget none() {
    return () -> false;
  }
}
