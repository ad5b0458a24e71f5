package dev.drydock.impact.service;

import dev.drydock.impact.plan.SearchBudget;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How long the order of a submission is searched: somebody waits for the answer, and rows are
 * locked. A large fleet gets the first order, as one run through it takes long already.
 */
final class SearchTimeLimit {
  static final Duration MOST = Duration.ofMillis(500);
  static final int HOSTS_MOST = 5_000;

  private SearchTimeLimit() {}

  /** From now on; {@code nanos} only goes forward. */
  static SearchBudget of(int hosts, LongSupplier nanos) {
    if (hosts > HOSTS_MOST) {
      return SearchBudget.none();
    }
    long begin = nanos.getAsLong();
    return () -> nanos.getAsLong() - begin < MOST.toNanos();
  }
}
