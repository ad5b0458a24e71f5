package dev.drydock.orchestrator.core.drain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.Decision.Pace;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.testkit.JobBuilder;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A slow drain is told from one that would never have ended. */
class DrainPaceClassifierTest {
  private static final Duration FIVE = Duration.ofMinutes(5);

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
    BatchJob drain = drain(first, least, now, noLess);
    assertThat(DrainPaceClassifier.says(drain, FIVE, JobBuilder.NOW)).isEqualTo(says);
  }

  private static BatchJob drain(long first, long least, long now, long noLess) {
    return JobBuilder.job(Step.DRAIN, "h01")
        .failed("not drained in time")
        .left(first, least, now, Duration.ofSeconds(noLess))
        .build();
  }

  /** One that never ends is not waited for because another one does. */
  @Test
  void theWorstDrainCounts() {
    BatchJob slow = drain(40, 3, 3, 10);
    BatchJob stuck = drain(40, 3, 3, 100);
    BatchJob unwatched = drain(40, 40, 40, 10);
    BatchJob silent = JobBuilder.job(Step.DRAIN, "h02").failed("not drained in time").build();
    assertThat(worst(slow, stuck, unwatched)).isEqualTo(Pace.STUCK);
    assertThat(worst(slow, unwatched)).isEqualTo(Pace.UNKNOWN);
    assertThat(worst(slow, silent)).as("the other told nothing").isEqualTo(Pace.SLOW);
    assertThat(worst(silent)).isEqualTo(Pace.UNKNOWN);
    assertThat(DrainPaceClassifier.says(silent, FIVE, JobBuilder.NOW))
        .isEqualTo("how much was left was not told");
  }

  private static Pace worst(BatchJob... drains) {
    return DrainPaceClassifier.worst(List.of(drains), FIVE, JobBuilder.NOW);
  }
}
