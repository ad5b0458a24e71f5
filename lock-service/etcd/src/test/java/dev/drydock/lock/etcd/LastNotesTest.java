package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LastNotesTest {
  private static final String FULL = "needs 3 of 5 up; 3 up, this takes 1; not up: web-1 (locked)";
  private static final String FULL_STILL =
      "needs 3 of 5 up; 2 up, this takes 1; not up: web-7 (locked)";
  private static final String BRAKE = "the fleet brake is on";
  private static final long NOW = 1_000;
  private static final long LATER = NOW + LastNotes.NUMBERS_AGE_MAX.toNanos();

  private final LastNotes lastNotes = new LastNotes();

  @BeforeEach
  void tell() {
    lastNotes.tell("r.h1", FULL, NOW);
  }

  @Test
  void nothingIsSaidAgain() {
    assertThat(lastNotes.isNews("r.h1", FULL)).isFalse();
    assertThat(lastNotes.isDue("r.h1", FULL, LATER)).isFalse();
  }

  @Test
  void otherNumbersAreNewsThatCanWaitForAMoment() {
    assertThat(lastNotes.isNews("r.h1", FULL_STILL)).isTrue();
    assertThat(lastNotes.isDue("r.h1", FULL_STILL, LATER - 1)).isFalse();
    assertThat(lastNotes.isDue("r.h1", FULL_STILL, LATER)).isTrue();
  }

  @Test
  void otherWordsAreToldAtOnce() {
    assertThat(lastNotes.isDue("r.h1", BRAKE, NOW)).isTrue();
  }

  @Test
  void whoWasToldNothingIsToldAtOnce() {
    assertThat(lastNotes.isDue("r.h2", FULL, NOW)).isTrue();
    lastNotes.forgetAllBut(List.of());
    assertThat(lastNotes.isDue("r.h1", FULL, NOW)).isTrue();
  }
}
