package dev.drydock.orchestrator.core.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Enough finished phases tell what is usual, in any order. */
class TypicalDurationTest {
  private static List<Duration> minutes(int... minutes) {
    return IntStream.of(minutes).mapToObj(Duration::ofMinutes).toList();
  }

  @Test
  void tooFewSayNothing() {
    assertThat(TypicalDuration.of(minutes(1, 1, 1, 1, 1, 1, 1, 1, 1))).isEmpty();
    assertThat(TypicalDuration.of(minutes(1, 1, 1, 1, 1, 1, 1, 1, 1, 1))).isPresent();
  }

  @Test
  void nineteenOfTwentyTookNoLonger() {
    List<Duration> finished =
        new ArrayList<>(IntStream.rangeClosed(1, 100).mapToObj(Duration::ofMinutes).toList());
    Collections.shuffle(finished, new Random(7));
    assertThat(TypicalDuration.of(finished))
        .contains(new TypicalDuration(100, Duration.ofMinutes(95)));
    assertThat(TypicalDuration.of(minutes(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)))
        .as("of ten the slowest")
        .contains(new TypicalDuration(10, Duration.ofMinutes(10)));
  }

  /** One that hung for a day among a hundred does not make a day usual. */
  @Test
  void oneThatHungDoesNotMakeThatUsual() {
    List<Duration> finished = new ArrayList<>(Collections.nCopies(99, Duration.ofMinutes(5)));
    finished.add(Duration.ofDays(1));
    assertThat(TypicalDuration.of(finished).orElseThrow().limit())
        .isEqualTo(Duration.ofMinutes(15));
  }

  @Test
  void whatTakesSecondsIsNotFarPastThemAfterSeconds() {
    assertThat(new TypicalDuration(50, Duration.ofSeconds(3)).limit())
        .isEqualTo(TypicalDuration.FLOOR);
    assertThat(new TypicalDuration(50, Duration.ofMinutes(8)).limit())
        .isEqualTo(Duration.ofMinutes(24));
  }
}
