package dev.drydock.impact.plan;

/** How long may still be searched. The core has no clock: whoever calls it knows when to stop. */
@FunctionalInterface
public interface SearchBudget {
  boolean isLeft();

  /**
   * Hears now and then how many hosts or batches have their time in the order tried just now; of
   * each order anew.
   */
  default void planned(int units, int of) {}

  /** No search: the first plan is taken. */
  static SearchBudget none() {
    return () -> false;
  }
}
