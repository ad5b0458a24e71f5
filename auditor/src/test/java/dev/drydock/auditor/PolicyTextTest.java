package dev.drydock.auditor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.auditor.core.BudgetRule.MaxDomains;
import dev.drydock.auditor.core.BudgetRule.MaxUnavailable;
import dev.drydock.auditor.core.BudgetRule.MaxZones;
import dev.drydock.auditor.core.BudgetRule.MinAvailable;
import dev.drydock.auditor.core.BudgetRule.MinCapacity;
import dev.drydock.auditor.core.BudgetRule.Share;
import dev.drydock.auditor.core.PolicyVersion;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class PolicyTextTest {
  private static PolicyVersion read(String spec) {
    return PolicyText.read("p", 3, Instant.EPOCH, "metadata: {name: p}\nspec:\n" + spec.indent(2));
  }

  @Test
  void readsTheRulesItJudges() {
    PolicyVersion policy =
        read(
            """
            applications: [web, api]
            desired: 40
            capacity:
              - {maxUnavailable: 10%}
              - {minAvailable: 3}
              - {minAvailable: {capacity: 80%}}
              - {maxZonesInFlight: 1}
              - {maxDomainsInFlight: {topologyKey: rack, max: 2}}
            health: {maxAge: 2m}
            drain: {timeout: 5m}
            canary: {hosts: 2, soak: 30m}
            """);
    assertThat(policy.rules())
        .containsExactly(
            new MaxUnavailable(new Share(10, true)),
            new MinAvailable(3),
            new MinCapacity(new Share(80, true)),
            new MaxZones(1),
            new MaxDomains("rack", 2));
    assertThat(policy.applications()).containsExactlyInAnyOrder("web", "api");
    assertThat(policy.desired()).contains(40);
    assertThat(policy.healthAgeMax()).isEqualTo(Duration.ofMinutes(2));
    assertThat(policy.unread()).isEmpty();
  }

  /** A rule that is skipped would be one that always allows. */
  @Test
  void namesWhatItDoesNotJudge() {
    PolicyVersion policy =
        read(
            """
            applications: [web]
            desired: fromScheduler
            capacity: [{maxUnavailable: 1}, {disruptionInterval: 24h}, {controller: {topic: x}}, {newRule: 1}]
            windows: [{from: "09:00", to: "16:00"}]
            health: {gates: [{promql: up}]}
            """);
    assertThat(policy.unread())
        .containsExactlyInAnyOrder(
            "disruptionInterval", "controller", "newRule", "windows", "gates");
    assertThat(policy.desired()).isEmpty();
    assertThat(policy.healthAgeMax()).isEqualTo(Duration.ofMinutes(1));
  }
}
