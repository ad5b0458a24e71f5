package dev.drydock.lock.core;

import java.util.Random;
import java.util.function.Consumer;

/**
 * Runs a property with many seeds. A failure names its seed and how to repeat it: {@code
 * -Dprop.seed=N} runs that one, {@code -Dprop.runs=N} changes how many.
 */
public final class Prop {
  private Prop() {}

  public static void check(String name, int runs, Consumer<Random> property) {
    String only = System.getProperty("prop.seed");
    long base = only == null ? System.nanoTime() : Long.parseLong(only);
    int count = only == null ? Integer.getInteger("prop.runs", runs) : 1;
    for (int i = 0; i < count; i++) {
      long seed = base + i;
      try {
        property.accept(new Random(seed));
      } catch (AssertionError | RuntimeException failure) {
        throw new AssertionError(
            name + " fails with seed " + seed + " (repeat: -Dprop.seed=" + seed + "): " + failure,
            failure);
      }
    }
  }

  /** Whether some seed breaks the property in the way {@code complaint} says. */
  public static boolean finds(String complaint, int runs, Consumer<Random> property) {
    long base = Long.getLong("prop.seed", System.nanoTime());
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
}
