package dev.drydock.impact.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.plan.SearchBudget;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SearchTimeLimitTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 10); // It may overflow.

  @Test
  void lastsHalfASecondWhateverTheClockStartsAt() {
    SearchBudget searchBudget = SearchTimeLimit.of(SearchTimeLimit.HOSTS_MOST, nanos::get);
    nanos.addAndGet(SearchTimeLimit.MOST.toNanos() - 1);
    assertThat(searchBudget.isLeft()).isTrue();
    nanos.incrementAndGet();
    assertThat(searchBudget.isLeft()).isFalse();
  }

  @Test
  void aLargeFleetIsNotSearched() {
    assertThat(SearchTimeLimit.of(SearchTimeLimit.HOSTS_MOST + 1, nanos::get).isLeft()).isFalse();
  }
}
