package dev.drydock.impact.core;

import java.util.Optional;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Stream;

/**
 * Seeded random tests: {@code -Dprop.seed} repeats a run, {@code -Dprop.runs} says how many cases.
 * A failing case is shrunk before it is shown.
 */
final class Properties {
  private static final int SHRINK_STEPS_MAX = 1_000;

  /** A rare bug is seen in one of thousands of cases: a search that ends early proves nothing. */
  private static final int SEARCH_MAX = 1_000_000;

  private Properties() {}

  /** Fails with the smallest case found for which {@code complaint} is not empty. */
  static <T> void check(
      Function<RandomGenerator, T> generate,
      Function<T, Stream<T>> smaller,
      Function<T, String> complaint) {
    search(Integer.getInteger("prop.runs", 3_000), generate, smaller, complaint)
        .ifPresent(
            found -> {
              throw new AssertionError(found);
            });
  }

  /**
   * The control of a check: {@code complaint} is that of a planted bug, and fails unless one is
   * found.
   *
   * @return what the check would have said
   */
  static <T> String caught(
      Function<RandomGenerator, T> generate,
      Function<T, Stream<T>> smaller,
      Function<T, String> complaint) {
    return search(SEARCH_MAX, generate, smaller, complaint)
        .orElseThrow(
            () -> new AssertionError("not noticed in %,d random cases".formatted(SEARCH_MAX)));
  }

  private static <T> Optional<String> search(
      int runs,
      Function<RandomGenerator, T> generate,
      Function<T, Stream<T>> smaller,
      Function<T, String> complaint) {
    long seed = Long.getLong("prop.seed", System.nanoTime());
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    for (int run = 0; run < runs; run++) {
      T generated = generate.apply(random);
      if (!complaint.apply(generated).isEmpty()) {
        T shrunk = shrink(generated, smaller, complaint);
        return Optional.of(
            "%s%ncase: %s%nrepeat with: -Dprop.seed=%d -Dprop.runs=%d"
                .formatted(complaint.apply(shrunk), shrunk, seed, run + 1));
      }
    }
    return Optional.empty();
  }

  private static <T> T shrink(
      T failing, Function<T, Stream<T>> smaller, Function<T, String> complaint) {
    T smallest = failing;
    for (int step = 0; step < SHRINK_STEPS_MAX; step++) {
      var next = smaller.apply(smallest).filter(c -> !complaint.apply(c).isEmpty()).findFirst();
      if (next.isEmpty()) {
        return smallest;
      }
      smallest = next.get();
    }
    return smallest;
  }
}
