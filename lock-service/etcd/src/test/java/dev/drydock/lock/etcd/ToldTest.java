package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ToldTest {
  private static final String FULL = "needs 3 of 5 up; 3 up, this takes 1; not up: web-1 (locked)";
  private static final String FULL_STILL =
      "needs 3 of 5 up; 2 up, this takes 1; not up: web-7 (locked)";
  private static final String BRAKE = "the fleet brake is on";
  private static final long NOW = 1_000;
  private static final long LATER = NOW + Told.NUMBERS_AGE_MAX.toNanos();

  private final Told told = new Told();

  @BeforeEach
  void tell() {
    told.tell("r.h1", FULL, NOW);
  }

  @Test
  void nothingIsSaidAgain() {
    assertThat(told.isNews("r.h1", FULL)).isFalse();
    assertThat(told.isDue("r.h1", FULL, LATER)).isFalse();
  }

  @Test
  void otherNumbersAreNewsThatCanWaitForAMoment() {
    assertThat(told.isNews("r.h1", FULL_STILL)).isTrue();
    assertThat(told.isDue("r.h1", FULL_STILL, LATER - 1)).isFalse();
    assertThat(told.isDue("r.h1", FULL_STILL, LATER)).isTrue();
  }

  @Test
  void otherWordsAreToldAtOnce() {
    assertThat(told.isDue("r.h1", BRAKE, NOW)).isTrue();
  }

  @Test
  void whoWasToldNothingIsToldAtOnce() {
    assertThat(told.isDue("r.h2", FULL, NOW)).isTrue();
    told.forgetAllBut(List.of());
    assertThat(told.isDue("r.h1", FULL, NOW)).isTrue();
  }
}
