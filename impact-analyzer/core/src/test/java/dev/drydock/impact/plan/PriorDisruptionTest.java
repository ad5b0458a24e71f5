package dev.drydock.impact.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.Disruption;
import dev.drydock.impact.core.Fleet;
import dev.drydock.impact.core.FleetHost;
import dev.drydock.impact.core.FleetInstance;
import dev.drydock.impact.core.Health;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PriorDisruptionTest {
  private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");

  private static Disruption disruption(String instance, String host, int minutesAgo) {
    return new Disruption(instance, "web", host, NOW.minusSeconds(minutesAgo * 60L), false);
  }

  @Test
  void countsEachInstanceOnceByItsNewestDisruptionWhereItIsNow() {
    List<FleetHost> hosts =
        List.of(
            new FleetHost("h1", "s", false, 0, Map.of(), false),
            new FleetHost("h2", "s", false, 0, Map.of(), false));
    FleetInstance moved =
        new FleetInstance("w1", "web", "h2", "", 1, Health.HEALTHY, 1, NOW, false);
    FleetInstance stayed =
        new FleetInstance("w2", "web", "h1", "", 1, Health.HEALTHY, 1, NOW, false);
    Fleet fleet =
        new Fleet(
            NOW,
            Duration.ofMinutes(1),
            Map.of(),
            hosts,
            List.of(moved, stayed),
            List.of(
                disruption("w1", "h1", 90),
                disruption("w1", "h1", 30),
                disruption("w2", "h1", 10),
                disruption("gone", "h1", 60)));
    CompactFleet compact = CompactFleet.of(fleet, Duration.ofHours(1));
    int web = compact.applicationNumber("web");
    assertThat(PriorDisruption.of(fleet, compact))
        .containsExactly(
            new PriorDisruption(-1, web, 3_600_000),
            new PriorDisruption(compact.hostNumber("h2"), web, 1_800_000),
            new PriorDisruption(compact.hostNumber("h1"), web, 600_000));
  }
}
