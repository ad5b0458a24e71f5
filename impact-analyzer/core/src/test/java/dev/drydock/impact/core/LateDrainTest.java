package dev.drydock.impact.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.LateDrain.Way;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What holds where several teams have a say. */
class LateDrainTest {

  @ParameterizedTest
  @CsvSource({
    "FORCE, REVERT, REVERT",
    "FORCE, REQUEUE, REQUEUE",
    "REVERT, REQUEUE, REQUEUE",
    "REQUEUE, ASK, ASK",
    "FORCE, ASK, ASK",
    "ASK, QUARANTINE, QUARANTINE",
    "FORCE, FORCE, FORCE",
  })
  void theMostCarefulWayHolds(Way one, Way other, Way holds) {
    assertThat(strictest(one, other)).isEqualTo(holds);
    assertThat(strictest(other, one)).isEqualTo(holds);
  }

  private static Way strictest(Way... ways) {
    return LateDrain.strictest(
            List.of(ways).stream()
                .map(way -> new LateDrain(way, Duration.ofMinutes(1), Duration.ofHours(1)))
                .toList())
        .way();
  }

  @Test
  void ofThoseWhoAskTheShortestTimesHold() {
    assertThat(
            LateDrain.strictest(
                List.of(
                    new LateDrain(Way.ASK, Duration.ofMinutes(1), Duration.ofHours(2)),
                    new LateDrain(Way.FORCE, Duration.ofSeconds(1), Duration.ofMinutes(2)),
                    new LateDrain(Way.ASK, Duration.ofMinutes(5), Duration.ofHours(1)))))
        .isEqualTo(new LateDrain(Way.ASK, Duration.ofMinutes(1), Duration.ofHours(1)));
  }

  @Test
  void whereNobodySaysAnythingTheHostHasFailed() {
    assertThat(LateDrain.strictest(List.of())).isEqualTo(LateDrain.UNSAID);
  }
}
