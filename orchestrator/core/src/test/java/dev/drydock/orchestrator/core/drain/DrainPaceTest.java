package dev.drydock.orchestrator.drain;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A slow drain is told from one that would never have ended. */
class DrainProgressTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          40 | 3  | 3  | 10  | slow: 3 of 40 requests left and getting less
          40 | 3  | 3  | 99  | slow: 3 of 40 requests left and getting less
          40 | 3  | 3  | 100 | stuck: 3 of 40 requests left, no less for 100 s
          40 | 3  | 9  | 200 | stuck: 9 of 40 requests left, no less for 200 s
          40 | 40 | 40 | 100 | stuck: 40 requests left, no less for 100 s
          40 | 40 | 55 | 99  | 55 of 40 requests left, not watched for long enough to tell slow from stuck
          """)
  void inFiveMinutes(long first, long least, long now, long noLess, String says) {
    DrainProgress progress =
        new DrainProgress(first, least, now, "requests", Duration.ofSeconds(noLess));
    assertThat(progress.says(Duration.ofMinutes(5))).isEqualTo(says);
  }
}
