package dev.drydock.orchestrator.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.Amount;
import dev.drydock.impact.core.DesiredInstances;
import dev.drydock.impact.core.Disruption;
import dev.drydock.impact.core.DisruptionInterval;
import dev.drydock.impact.core.DisruptionRequest;
import dev.drydock.impact.core.Domain;
import dev.drydock.impact.core.FleetHost;
import dev.drydock.impact.core.FleetInstance;
import dev.drydock.impact.core.Health;
import dev.drydock.impact.core.Judge;
import dev.drydock.impact.core.MaxDomainsInFlight;
import dev.drydock.impact.core.MaxUnavailable;
import dev.drydock.impact.core.MinAvailable;
import dev.drydock.impact.core.MinCapacity;
import dev.drydock.impact.core.Policies;
import dev.drydock.impact.core.Policy;
import dev.drydock.impact.core.Rule;
import dev.drydock.impact.core.SourceReport;
import dev.drydock.lock.core.Verdict;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What waiting hosts wait for is read from the reasons that the rules themselves gave them. */
@Tag("stack")
class BudgetRowsTest {
  private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");

  private final TestDatabase database = new TestDatabase();
  private final Fleet fleet = new Fleet(database.jdbi());

  @AfterEach
  void stop() {
    database.close();
  }

  /** Why b may not be taken while a is locked, and was taken down an hour ago. */
  private static String reason(Rule rule, String held) {
    Policy policy =
        new Policy(
            "web",
            3,
            "web",
            List.of("web"),
            List.of(rule),
            new DesiredInstances.FromScheduler(),
            Duration.ofSeconds(60),
            Duration.ofMinutes(5));
    dev.drydock.impact.core.Fleet fleet =
        new dev.drydock.impact.core.Fleet(
            NOW,
            Duration.ofSeconds(30),
            Map.of("static", new SourceReport(10, NOW)),
            Stream.of("a", "b", "c").map(BudgetRowsTest::host).toList(),
            Stream.of("a", "b", "c").map(BudgetRowsTest::web).toList(),
            List.of(new Disruption("web@b", "web", "b", NOW.minus(Duration.ofHours(1)), false)));
    Verdict verdict =
        Judge.judge(
            fleet,
            new Policies(Map.of("web", policy), Map.of()),
            new DisruptionRequest(Set.of("b"), Set.of(), held.isEmpty() ? Set.of() : Set.of(held)));
    assertThat(verdict.granted()).as(verdict.reason()).isFalse();
    return verdict.reason();
  }

  private static FleetHost host(String name) {
    return new FleetHost(name, "static", false, 0, Map.of("rack", "r-" + name), false);
  }

  private static FleetInstance web(String host) {
    return new FleetInstance(
        "web@" + host, "web", host, "z-" + host, 1, Health.HEALTHY, 10, NOW, false);
  }

  private Map<String, Integer> cost(String reason) {
    fleet.host("b");
    fleet.rollout("r1", "b");
    fleet.asIf.reason("b", reason);
    return database.jdbi().withHandle(BudgetRows::read);
  }

  static Stream<Rule> rulesOfWhatIsDown() {
    return Stream.of(
        new MaxUnavailable(new Amount.Count(1)),
        new MaxUnavailable(new Amount.Percent(40)),
        new MinAvailable(2),
        new MinCapacity(new Amount.Count(2)),
        new MaxDomainsInFlight(new Domain.Zone(), 1),
        new MaxDomainsInFlight(new Domain.Label("rack"), 1));
  }

  @ParameterizedTest
  @MethodSource("rulesOfWhatIsDown")
  void aHostThatWaitsForWhatIsDownIsCounted(Rule rule) {
    assertThat(cost(reason(rule, "a"))).isEqualTo(Map.of("web", 1));
  }

  @Test
  void oneThatWaitsForItsOwnTimeIsNot() {
    assertThat(cost(reason(new DisruptionInterval(Duration.ofHours(2)), "a"))).isEmpty();
  }

  @Test
  void norIsOneThatNobodyElseKeeps() {
    assertThat(cost(reason(new MinAvailable(3), ""))).isEmpty();
  }
}
