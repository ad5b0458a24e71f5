package dev.drydock.auditor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.auditor.core.BudgetRule.MaxDomains;
import dev.drydock.auditor.core.BudgetRule.MaxUnavailable;
import dev.drydock.auditor.core.BudgetRule.MaxZones;
import dev.drydock.auditor.core.BudgetRule.MinAvailable;
import dev.drydock.auditor.core.BudgetRule.MinCapacity;
import dev.drydock.auditor.core.BudgetRule.Share;
import dev.drydock.auditor.core.PolicyCalendar;
import dev.drydock.auditor.core.PolicyCalendar.Never;
import dev.drydock.auditor.core.PolicyCalendar.Weekly;
import dev.drydock.auditor.core.PolicyVersion;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class AuditedPolicyParserTest {
  private static PolicyVersion read(String spec) {
    return AuditedPolicyParser.read(
        "p", 3, Instant.EPOCH, "metadata: {name: p}\nspec:\n" + spec.indent(2));
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
            health: {maxAge: 1m60s}
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

  @Test
  void readsWhenWorkMayBegin() {
    PolicyVersion policy =
        read(
            """
            applications: [web]
            capacity: [{maxUnavailable: 1}]
            windows: [{timezone: America/Los_Angeles, days: [Mon, Thu], from: "09:00", to: "24:00"}]
            blackouts:
              - {timezone: UTC, from: 2026-12-20, to: 2027-01-03, reason: holidays}
              - {from: 2026-11-27T08:30, to: 2026-11-27T20:00, reason: sale}
            expectedDuration: 1h30m
            timeouts: {cordon: 2m}
            """);
    assertThat(policy.unread()).isEmpty();
    assertThat(policy.times())
        .contains(
            new PolicyCalendar(
                List.of(
                    new Weekly(
                        ZoneId.of("America/Los_Angeles"),
                        Set.of(DayOfWeek.MONDAY, DayOfWeek.THURSDAY),
                        LocalTime.of(9, 0),
                        LocalTime.MIDNIGHT)),
                List.of(
                    new Never(
                        ZoneId.of("UTC"),
                        LocalDateTime.parse("2026-12-20T00:00"),
                        LocalDateTime.parse("2027-01-04T00:00")),
                    new Never(
                        ZoneId.of("UTC"),
                        LocalDateTime.parse("2026-11-27T08:30"),
                        LocalDateTime.parse("2026-11-27T20:00"))),
                Duration.ofMinutes(90)));
    assertThat(read("applications: [web]").times()).isEmpty();
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
            health: {gates: [{promql: up}]}
            """);
    assertThat(policy.unread())
        .containsExactlyInAnyOrder("disruptionInterval", "controller", "newRule", "gates");
    assertThat(policy.desired()).isEmpty();
    assertThat(policy.healthAgeMax()).isEqualTo(Duration.ofMinutes(1));
  }
}
