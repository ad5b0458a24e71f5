package dev.drydock.impact.service.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.Amount;
import dev.drydock.impact.core.Desired;
import dev.drydock.impact.core.Policy;
import dev.drydock.impact.core.Rule;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyParserTest {
  private static final String GOOD =
      """
      apiVersion: drydock.dev/v1
      kind: UpgradePolicy
      metadata: {name: search, team: search-infra}
      spec:
        applications: [search-leaf, search-root]
        capacity:
          - {maxUnavailable: 10%}
          - {maxUnavailable: 3}
          - {minAvailable: 40}
        desired: 400
        health: {maxAge: 90s}
        drain: {timeout: 1h}
      """;

  private static List<String> faults(String yaml) {
    return PolicyParser.parse(yaml).faults().stream()
        .map(f -> f.line() + " " + f.path() + " " + f.message())
        .toList();
  }

  private static List<String> faultsWith(String good, String bad) {
    assertThat(GOOD).contains(good);
    return faults(GOOD.replace(good, bad));
  }

  @Test
  void readsEveryField() {
    assertThat(PolicyParser.parse(GOOD).policy())
        .contains(
            new Policy(
                "search",
                0,
                "search-infra",
                List.of("search-leaf", "search-root"),
                List.of(
                    new Rule.MaxUnavailable(new Amount.Percent(10)),
                    new Rule.MaxUnavailable(new Amount.Count(3)),
                    new Rule.MinAvailable(40)),
                new Desired.Exactly(400),
                Duration.ofSeconds(90),
                Duration.ofHours(1)));
  }

  @Test
  void whatIsLeftOutHasADefault() {
    Policy policy =
        PolicyParser.parse(GOOD.replaceAll("(?m)^  (desired|health|drain).*\n", ""))
            .policy()
            .orElseThrow();
    assertThat(policy.desired()).isEqualTo(new Desired.FromScheduler());
    assertThat(policy.healthAgeMax()).isEqualTo(Duration.ofSeconds(60));
    assertThat(policy.drainTimeout()).isEqualTo(Duration.ofMinutes(5));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {maxUnavailable: 10%}      | {maxUnavailable: 150%}   | 7 spec.capacity[0].maxUnavailable is '150%', must be a whole number
          {maxUnavailable: 3}        | {maxUnavailable: -1}     | 8 spec.capacity[1].maxUnavailable is -1, must be
          {maxUnavailable: 3}        | {maxUnavailable: 1.5}    | 8 spec.capacity[1].maxUnavailable is 1.5, must be
          {maxUnavailable: 3}        | {maxUnavailable: some}   | 8 spec.capacity[1].maxUnavailable is 'some', must be
          {maxUnavailable: 3}        | {maxUnavailable: true}   | 8 spec.capacity[1].maxUnavailable is true, must be
          {maxUnavailable: 3}        | {maxUnavailable: 2, minAvailable: 1} | 8 spec.capacity[1] is a mapping of 2, must be a mapping with exactly one rule
          {maxUnavailable: 3}        | {}                       | 8 spec.capacity[1] is an empty mapping, must be
          {maxUnavailable: 3}        | 3                        | 8 spec.capacity[1] is 3, must be a mapping
          {maxUnavailable: 3}        | {maxUnavailible: 3}      | 8 spec.capacity[1].maxUnavailible is an unknown field: did you mean maxUnavailable?
          {maxUnavailable: 3}        | {maxZonesInFlight: 1}    | 8 spec.capacity[1].maxZonesInFlight is not supported by this version (maxUnavailable, minAvailable can be here)
          {minAvailable: 40}         | {minAvailable: 40%}      | 9 spec.capacity[2].minAvailable is '40%', must be a whole number
          {minAvailable: 40}         | {minAvailable: 4000000000} | 9 spec.capacity[2].minAvailable is 4000000000, must be
          desired: 400               | desired: fromSheduler    | 10 spec.desired is 'fromSheduler', must be fromScheduler
          health: {maxAge: 90s}      | health: {maxAge: 90}     | 11 spec.health.maxAge is 90, must be how old
          health: {maxAge: 90s}      | health: {maxAge: 0s}     | 11 spec.health.maxAge is '0s', must be
          health: {maxAge: 90s}      | health: {checks: [x]}    | 11 spec.health.checks is not supported by this version
          drain: {timeout: 1h}       | hooks: {pre: []}         | 12 spec.hooks is not supported by this version
          search-root]               | search-leaf]             | 5 spec.applications[1] application search-leaf is listed twice
          [search-leaf, search-root] | []                       | 5 spec.applications is an empty list, must be
          [search-leaf, search-root] | search-leaf              | 5 spec.applications is 'search-leaf', must be a list
          name: search,              | name: Search,            | 3 metadata.name is 'Search', must be
          'name: search, '           | ''                       | 3 metadata.name is missing: must be a name
          drydock.dev/v1             | drydock.dev/v2           | 1 apiVersion is 'drydock.dev/v2', must be drydock.dev/v1
          UpgradePolicy              | Policy                   | 2 kind is 'Policy', must be UpgradePolicy
          """)
  void namesFieldLineAndRemedy(String good, String bad, String fault) {
    assertThat(faultsWith(good, bad)).singleElement().asString().startsWith(fault);
  }

  @Test
  void namesAllFaultsAtOnceInTheOrderOfTheFile() {
    assertThat(
            faults(
                """
                apiVersion: drydock.dev/v1
                kind: UpgradePolicy
                metadata: {name: search}
                spec:
                  applications: [a, a]
                  capacity: []
                  desired: -5
                  windows: []
                """))
        .satisfiesExactly(
            f -> assertThat(f).startsWith("3 metadata.team is missing"),
            f -> assertThat(f).startsWith("5 spec.applications[1] application a is listed twice"),
            f -> assertThat(f).startsWith("6 spec.capacity is an empty list"),
            f -> assertThat(f).startsWith("7 spec.desired is -5"),
            f -> assertThat(f).startsWith("8 spec.windows is not supported"));
  }

  @Test
  void aFieldGivenTwiceIsAFault() {
    assertThat(faultsWith("desired: 400", "desired: 400\n  desired: 1"))
        .containsExactly("11 spec.desired is given twice, first on line 10");
  }

  @Test
  void textThatIsNoYamlIsAFaultWithItsLine() {
    assertThat(faultsWith("desired: 400", "desired: [400"))
        .singleElement()
        .asString()
        .contains("policy is not YAML");
    assertThat(faults("")).singleElement().asString().startsWith("1 policy is empty");
    assertThat(faults("- a\n")).singleElement().asString().startsWith("1 policy is a list");
    assertThat(faults(GOOD + "---\n" + GOOD)).singleElement().asString().contains("not YAML");
  }

  @Test
  void hostileTextIsRefusedQuickly() {
    assertThat(faults("[".repeat(20_000))).singleElement().asString().contains("policy");
    assertThat(faults("a: ".repeat(2) + "x".repeat(40_000)))
        .singleElement()
        .asString()
        .contains("longer than");
    assertThat(faults("a: &a [x]\nb: *a\n")).singleElement().asString().contains("not YAML");
    assertThat(faults("!!java.lang.Runtime {}")).isNotEmpty();
  }
}
