package dev.drydock.impact.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.plan.Budget;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SearchTimeTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 10); // It may overflow.

  @Test
  void lastsHalfASecondWhateverTheClockStartsAt() {
    Budget budget = SearchTime.of(SearchTime.HOSTS_MOST, nanos::get);
    nanos.addAndGet(SearchTime.MOST.toNanos() - 1);
    assertThat(budget.isLeft()).isTrue();
    nanos.incrementAndGet();
    assertThat(budget.isLeft()).isFalse();
  }

  @Test
  void aLargeFleetIsNotSearched() {
    assertThat(SearchTime.of(SearchTime.HOSTS_MOST + 1, nanos::get).isLeft()).isFalse();
  }
}
