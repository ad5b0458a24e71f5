package dev.drydock.impact.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.lock.core.Verdict;
import dev.drydock.lock.core.Verdict.Decision;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Three instances of 32 units and four of 8: 128 in all. */
class MinCapacityTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  private final List<FleetInstance> instances = new ArrayList<>();
  private DesiredInstances desiredInstances = new DesiredInstances.FromScheduler();

  MinCapacityTest() {
    for (int n = 1; n <= 7; n++) {
      instances.add(web(n, n <= 3 ? 32 : 8, Health.HEALTHY));
    }
  }

  private static FleetInstance web(int n, int capacity, Health health) {
    return new FleetInstance("web@h" + n, "web", "h" + n, "z", capacity, health, 1, NOW, false);
  }

  private Fleet fleet() {
    List<FleetHost> hosts =
        instances.stream()
            .map(one -> new FleetHost(one.host(), "static", false, 1, Map.of(), false))
            .toList();
    return new Fleet(
        NOW,
        Duration.ofSeconds(30),
        Map.of("static", new SourceReport(1, NOW)),
        hosts,
        instances,
        List.of());
  }

  private Policies policies(Rule... rules) {
    Policy policy =
        new Policy(
            "web",
            3,
            "team",
            List.of("web"),
            List.of(rules),
            desiredInstances,
            Duration.ofSeconds(60),
            Duration.ofMinutes(5));
    return new Policies(Map.of("web", policy), Map.of());
  }

  private Verdict take(Rule rule, String... hosts) {
    return Judge.judge(
        fleet(), policies(rule), new DisruptionRequest(Set.of(hosts), Set.of(), Set.of()));
  }

  private static MinCapacity units(int units) {
    return new MinCapacity(new Amount.Count(units));
  }

  private static MinCapacity share(int percent) {
    return new MinCapacity(new Amount.Percent(percent));
  }

  @Test
  void aLargeInstanceIsWorthSeveralSmallOnes() {
    assertThat(take(units(96), "h1").granted()).isTrue();
    assertThat(take(units(96), "h4", "h5", "h6", "h7").granted()).isTrue();
    assertThat(take(units(96), "h1", "h4").reason())
        .isEqualTo(
            "application web: minAvailable capacity 96 (policy web version 3) needs 96 of 128"
                + " units up; 128 units up, this takes 40; too much even with all up: 88 units"
                + " would stay, 96 are needed");
  }

  @Test
  void whatIsDownAlreadyIsNotTakenOnceMore() {
    instances.set(0, web(1, 32, Health.UNHEALTHY));
    assertThat(take(units(96), "h1").granted()).isTrue();
    assertThat(take(units(96), "h4").decision()).isEqualTo(Decision.WAIT);
    assertThat(take(units(96), "h4").reason())
        .isEqualTo(
            "application web: minAvailable capacity 96 (policy web version 3) needs 96 of 128"
                + " units up; 96 units up, this takes 8; not up: web@h1 (unhealthy)");
  }

  @Test
  void aShareRoundsUp() {
    // 75 % of 128 is 96, 76 % is 97.28.
    assertThat(take(share(75), "h1").granted()).isTrue();
    assertThat(take(share(76), "h1").granted()).isFalse();
    assertThat(share(76).required(128)).isEqualTo(98);
  }

  @Test
  void whatCouldNeverBeMetIsInfeasible() {
    assertThat(Judge.infeasible(fleet(), policies(units(100)), List.of(List.of("h1"))))
        .isEqualTo(
            Map.of(
                "h1",
                List.of(
                    "application web: minAvailable capacity 100 (policy web version 3) too much"
                        + " even with all up: 96 units would stay, 100 are needed")));
    assertThat(Judge.infeasible(fleet(), policies(units(100)), List.of(List.of("h4")))).isEmpty();
    assertThat(Judge.infeasible(fleet(), policies(share(100)), List.of(List.of("h4"))))
        .containsKey("h4");
  }

  @Test
  void whatShouldExistAndIsNotAllocatedMayBeOfAnySize() {
    desiredInstances = new DesiredInstances.Exactly(8);
    assertThat(take(units(128), "h4").decision()).isEqualTo(Decision.WAIT);
    assertThat(Judge.infeasible(fleet(), policies(units(128)), List.of(List.of("h4")))).isEmpty();
    desiredInstances = new DesiredInstances.Exactly(7);
    assertThat(take(units(128), "h4").decision()).isEqualTo(Decision.REFUSE);
  }

  @Test
  void anInstanceHasSomeCapacityAndNotTooMuch() {
    for (int wrong : List.of(0, -1, FleetInstance.CAPACITY_MAX + 1)) {
      assertThatThrownBy(() -> web(1, wrong, Health.HEALTHY))
          .hasMessage("the capacity of web@h1 must be from 1 to 10000 units, not " + wrong);
    }
  }
}
