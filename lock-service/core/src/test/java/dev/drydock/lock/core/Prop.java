package dev.drydock.lock.core;

import java.util.Random;
import java.util.function.Consumer;

/**
 * Runs a property with many seeds: {@code -Dprop.seed=N} says which is the first, {@code
 * -Dprop.runs=N} how many. A failure names its seed and how to repeat it.
 */
public final class Prop {
  private Prop() {}

  public static void check(String name, int runs, Consumer<Random> property) {
    long base = base();
    int count = Integer.getInteger("prop.runs", runs);
    for (int i = 0; i < count; i++) {
      long seed = base + i;
      try {
        property.accept(new Random(seed));
      } catch (AssertionError | RuntimeException failure) {
        throw new AssertionError(
            name
                + " fails with seed "
                + seed
                + " (repeat: -Dprop.seed="
                + seed
                + " -Dprop.runs=1): "
                + failure,
            failure);
      }
    }
  }

  /** Whether some seed breaks the property in the way {@code complaint} says. */
  public static boolean finds(String complaint, int runs, Consumer<Random> property) {
    long base = base();
    for (int i = 0; i < runs; i++) {
      try {
        property.accept(new Random(base + i));
      } catch (AssertionError failure) {
        if (String.valueOf(failure.getMessage()).contains(complaint)) {
          return true;
        }
      }
    }
    return false;
  }

  private static long base() {
    return Long.getLong("prop.seed", System.nanoTime());
  }
}
