package dev.drydock.impact.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.Amount;
import dev.drydock.impact.core.Blackout;
import dev.drydock.impact.core.Calendar;
import dev.drydock.impact.core.Canary;
import dev.drydock.impact.core.Controller;
import dev.drydock.impact.core.DesiredInstances;
import dev.drydock.impact.core.DisruptionInterval;
import dev.drydock.impact.core.DisruptionRate;
import dev.drydock.impact.core.Domain;
import dev.drydock.impact.core.Gate;
import dev.drydock.impact.core.MaxDomainsInFlight;
import dev.drydock.impact.core.MaxUnavailable;
import dev.drydock.impact.core.MinAvailable;
import dev.drydock.impact.core.MinCapacity;
import dev.drydock.impact.core.Policy;
import dev.drydock.impact.core.Rule;
import dev.drydock.impact.core.WeeklyWindow;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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

  @Test
  void takesDurationsOfSeveralUnits() {
    Policy policy =
        PolicyParser.parse(GOOD.replace("timeout: 1h", "timeout: 1h30m")).policy().orElseThrow();
    assertThat(policy.drainTimeout()).isEqualTo(Duration.ofMinutes(90));
    assertThat(faultsWith("timeout: 1h", "timeout: 2m90s")).isEmpty();
    for (String none : List.of("30m1h", "1h30", "h", "0h30m", "1h1h")) {
      assertThat(faultsWith("timeout: 1h", "timeout: " + none)).as(none).hasSize(1);
    }
  }

  @Test
  void doubtsWhatIsHardlyMeant() {
    PolicyParser.Parsed parsed =
        PolicyParser.parse(
            GOOD.replace("maxUnavailable: 10%", "maxUnavailable: 0")
                + "  windows: [{timezone: UTC, from: \"09:00\", to: \"09:00\"}]\n");
    assertThat(parsed.doubts())
        .extracting(doubt -> doubt.line() + " " + doubt.path() + " " + doubt.message())
        .containsExactly(
            "7 spec.capacity[0].maxUnavailable is 0, which lets no instance go down: hosts with"
                + " these applications are never upgraded",
            "13 spec.windows[0].to is 09:00, as from is: the window is open for 24 hours, until"
                + " 09:00 on the next day; write 00:00 to 24:00 for a whole day");
    assertThat(parsed.policy()).as("in force all the same").isPresent();
    assertThat(PolicyParser.parse(GOOD).doubts()).as("the control").isEmpty();
  }

  private static List<String> faultsWith(String good, String bad) {
    assertThat(GOOD).contains(good);
    return faults(GOOD.replace(good, bad));
  }

  @Test
  void takesZonesTogetherWhereItSaysSo() {
    String together = GOOD + "  batching: {by: faultZone, mode: AllOrNone}\n";
    assertThat(PolicyParser.parse(together).policy()).get().matches(Policy::zonesTogether);
    assertThat(PolicyParser.parse(GOOD).policy()).get().matches(policy -> !policy.zonesTogether());
  }

  @Test
  void readsCanariesAndRefusesWhatIsNone() {
    assertThat(PolicyParser.parse(GOOD + "  canary: {hosts: 2, soak: 30m}\n").policy())
        .get()
        .extracting(Policy::canary)
        .isEqualTo(Optional.of(new Canary(2, Duration.ofMinutes(30))));
    assertThat(PolicyParser.parse(GOOD).policy()).get().matches(p -> p.canary().isEmpty());
    for (String wrong : List.of("{hosts: 2}", "{hosts: 0, soak: 1m}", "{hosts: 1, soak: 200h}")) {
      assertThat(PolicyParser.parse(GOOD + "  canary: " + wrong + "\n").faults())
          .as(wrong)
          .hasSize(1);
    }
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
                    new MaxUnavailable(new Amount.Percent(10)),
                    new MaxUnavailable(new Amount.Count(3)),
                    new MinAvailable(40)),
                new DesiredInstances.Exactly(400),
                Duration.ofSeconds(90),
                Duration.ofHours(1)));
  }

  @Test
  void readsMinAvailableInUnitsOfCapacity() {
    assertThat(rulesWith("{capacity: 400}")).contains(new MinCapacity(new Amount.Count(400)));
    assertThat(rulesWith("{capacity: 80%}")).contains(new MinCapacity(new Amount.Percent(80)));
  }

  private static List<Rule> rulesWith(String least) {
    String text = GOOD.replace("minAvailable: 40", "minAvailable: " + least);
    return PolicyParser.parse(text.replace("desired: 400", "desired: fromScheduler"))
        .policy()
        .orElseThrow()
        .rules();
  }

  @Test
  void refusesAShareOfTheCapacityOfInstancesThatNobodyKnows() {
    assertThat(faultsWith("minAvailable: 40", "minAvailable: {capacity: 80%}"))
        .containsExactly(
            "9 spec.capacity[2].minAvailable.capacity is a share, and spec.desired is a number of"
                + " instances, whose sizes nobody knows: state units, or desired: fromScheduler");
    assertThat(faultsWith("minAvailable: 40", "minAvailable: {capacity: 400}")).isEmpty();
  }

  private static final String TIMES =
      """
      apiVersion: drydock.dev/v1
      kind: UpgradePolicy
      metadata: {name: search, team: search-infra}
      spec:
        applications: [search-leaf]
        capacity:
          - {maxZonesInFlight: 1}
          - {maxDomainsInFlight: {topologyKey: rack, max: 2}}
          - {disruptionInterval: 24h}
          - {disruptionRate: {max: 5%, per: 1h}}
        windows:
          - {timezone: America/Los_Angeles, days: [Mon, Thu], from: "09:00", to: "16:00"}
          - {timezone: UTC, from: 20:00, to: "24:00"}
        blackouts:
          - {from: 2026-12-20, to: 2027-01-03, reason: holidays}
          - {timezone: Europe/Berlin, from: 2026-11-27T18:00, to: 2026-11-28T06:00, reason: sale}
        expectedDuration: 45m
      """;

  @Test
  void readsDomainsDisruptionsAndTimes() {
    assertThat(PolicyParser.parse(TIMES).faults()).isEmpty();
    assertThat(PolicyParser.parse(TIMES).policy().orElseThrow().rules())
        .containsExactly(
            new MaxDomainsInFlight(new Domain.Zone(), 1),
            new MaxDomainsInFlight(new Domain.Label("rack"), 2),
            new DisruptionInterval(Duration.ofHours(24)),
            new DisruptionRate(new Amount.Percent(5), Duration.ofHours(1)),
            new Calendar(
                List.of(
                    new WeeklyWindow(
                        ZoneId.of("America/Los_Angeles"),
                        Set.of(DayOfWeek.MONDAY, DayOfWeek.THURSDAY),
                        LocalTime.of(9, 0),
                        LocalTime.of(16, 0)),
                    new WeeklyWindow(
                        ZoneId.of("UTC"),
                        EnumSet.allOf(DayOfWeek.class),
                        LocalTime.of(20, 0),
                        LocalTime.MIDNIGHT)),
                List.of(
                    new Blackout(
                        ZoneId.of("UTC"),
                        LocalDateTime.parse("2026-12-20T00:00"),
                        LocalDateTime.parse("2027-01-04T00:00"),
                        "holidays"),
                    new Blackout(
                        ZoneId.of("Europe/Berlin"),
                        LocalDateTime.parse("2026-11-27T18:00"),
                        LocalDateTime.parse("2026-11-28T06:00"),
                        "sale")),
                Duration.ofMinutes(45)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {maxZonesInFlight: 1}  | {maxZonesInFlight: 0}   | 7 spec.capacity[0].maxZonesInFlight is 0, must be a whole number of fault zones
          topologyKey: rack,     | topologyKey: _,         | 8 spec.capacity[1].maxDomainsInFlight.topologyKey is '_', must be the key of a host label
          max: 2                 | max: 2%                 | 8 spec.capacity[1].maxDomainsInFlight.max is '2%', must be a whole number
          disruptionInterval: 24h | disruptionInterval: 1d | 9 spec.capacity[2].disruptionInterval is '1d', must be the least time
          disruptionInterval: 24h | disruptionInterval: 169h | 9 spec.capacity[2].disruptionInterval is '169h', must be at most 168h
          max: 5%                | max: 5.5%               | 10 spec.capacity[3].disruptionRate.max is '5.5%', must be a whole number
          per: 1h                | per: 10081m             | 10 spec.capacity[3].disruptionRate.per is '10081m', must be at most 168h
          America/Los_Angeles    | America/Los_Angelos     | 12 spec.windows[0].timezone 'America/Los_Angelos' is no IANA time zone: did you mean America/Los_Angeles?
          America/Los_Angeles    | '+01:00'                | 12 spec.windows[0].timezone '+01:00' is no IANA time zone
          '[Mon, Thu]'           | '[Mon, Thursday]'       | 12 spec.windows[0].days[1] is 'Thursday', must be Mon, Tue
          '"16:00"'              | '"16:60"'               | 12 spec.windows[0].to is '16:60', must be a time of day
          'from: 20:00, '        | ''                      | 13 spec.windows[1].from is missing: must be a time of day
          from: 2026-12-20       | from: 2026-12-32        | 15 spec.blackouts[0].from is '2026-12-32': there is no such day
          to: 2027-01-03         | to: 2026-12-19          | 15 spec.blackouts[0].to is not after from
          ', reason: sale'       | ''                      | 16 spec.blackouts[1].reason is missing
          timezone: Europe/Berlin | timezone: Berlin       | 16 spec.blackouts[1].timezone 'Berlin' is no IANA time zone
          expectedDuration: 45m  | expectedDuration: 9h    | 11 spec.windows leave no time for work that takes 9h
          expectedDuration: 45m  | expectedDuration: 200h  | 17 spec.expectedDuration is '200h', must be at most 168h
          """)
  void namesFieldLineAndRemedyOfTimes(String good, String bad, String fault) {
    assertThat(TIMES).contains(good);
    assertThat(faults(TIMES.replace(good, bad))).singleElement().asString().startsWith(fault);
  }

  @Test
  void rulesThatContradictAreAFault() {
    assertThat(faultsWith("minAvailable: 40", "minAvailable: 401"))
        .containsExactly(
            "9 spec.capacity[2].minAvailable is 401, and spec.desired is 400: nothing could ever be"
                + " taken down");
    assertThat(faults(TIMES.replaceAll("(?m)^ *- .max(Zones|Domains).*\n", "")))
        .singleElement()
        .asString()
        .startsWith("6 spec.capacity does not limit how much is down at once: add maxUnavailable");
  }

  @Test
  void gatesAreRulesLikeAnyOther() {
    String gates =
        "{maxAge: 90s, gates: [{promql: 'min(up{a=\"b\"}) == 1', for: 5m}, {promql: x < 2}]}";
    assertThat(
            PolicyParser.parse(GOOD.replace("{maxAge: 90s}", gates)).policy().orElseThrow().rules())
        .hasSize(5)
        .endsWith(
            new Gate("min(up{a=\"b\"}) == 1", Duration.ofMinutes(5)),
            new Gate("x < 2", Duration.ZERO));
  }

  @Test
  void aControllerHasATopicAndTimeToAnswer() {
    String two =
        "{controller: {topic: search-approvals, timeout: 30s}}\n    - {controller: {topic: b}}";
    assertThat(
            PolicyParser.parse(GOOD.replace("{maxUnavailable: 3}", two))
                .policy()
                .orElseThrow()
                .rules())
        .contains(
            new Controller("search-approvals", Duration.ofSeconds(30)),
            new Controller("b", Duration.ofSeconds(10)));
    assertThat(faultsWith("{maxUnavailable: 3}", two.replace("search-approvals", "b")))
        .containsExactly(
            "9 spec.capacity[2].controller.topic topic b is listed twice: one controller answers"
                + " once");
  }

  @Test
  void whatIsLeftOutHasADefault() {
    Policy policy =
        PolicyParser.parse(GOOD.replaceAll("(?m)^  (desired|health|drain).*\n", ""))
            .policy()
            .orElseThrow();
    assertThat(policy.desired()).isEqualTo(new DesiredInstances.FromScheduler());
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
          {maxUnavailable: 3}        | {controller: {topic: T}} | 8 spec.capacity[1].controller.topic is 'T', must be the topic
          {maxUnavailable: 3}        | {controller: {timeout: 5s}} | 8 spec.capacity[1].controller.topic is missing
          {maxUnavailable: 3}        | {controller: {topic: t, timeout: 61s}} | 8 spec.capacity[1].controller.timeout is '61s', must be at most 60s
          {maxUnavailable: 3}        | {controller: {topic: t, timeout: 0s}} | 8 spec.capacity[1].controller.timeout is '0s', must be
          {maxUnavailable: 3}        | {controllers: {topic: t}} | 8 spec.capacity[1].controllers is an unknown field: did you mean controller?
          {minAvailable: 40}         | {minAvailable: 40%}      | 9 spec.capacity[2].minAvailable is '40%', must be a whole number
          {minAvailable: 40}         | {minAvailable: {capacity: 0}} | 9 spec.capacity[2].minAvailable.capacity is 0, must be how much must stay up
          {minAvailable: 40}         | {minAvailable: {capacity: 0%}} | 9 spec.capacity[2].minAvailable.capacity is '0%', must be how much must stay up
          {minAvailable: 40}         | {minAvailable: {capacity: 101%}} | 9 spec.capacity[2].minAvailable.capacity is '101%', must be how much must stay up
          {minAvailable: 40}         | {minAvailable: {}} | 9 spec.capacity[2].minAvailable.capacity is missing: must be how much must stay up
          {minAvailable: 40}         | {minAvailable: {capacty: 9, capacity: 9}} | 9 spec.capacity[2].minAvailable.capacty is an unknown field: did you mean capacity?
          {minAvailable: 40}         | {minAvailable: {instances: 3, capacity: 9}} | 9 spec.capacity[2].minAvailable.instances is not supported by this version (capacity can be here)
          {minAvailable: 40}         | {minAvailable: 4000000000} | 9 spec.capacity[2].minAvailable is 4000000000, must be
          desired: 400               | desired: fromSheduler    | 10 spec.desired is 'fromSheduler', must be fromScheduler
          health: {maxAge: 90s}      | health: {maxAge: 90}     | 11 spec.health.maxAge is 90, must be how old
          health: {maxAge: 90s}      | health: {maxAge: 0s}     | 11 spec.health.maxAge is '0s', must be
          {maxAge: 90s}              | {gates: [{promql: up}]}  | 11 spec.health.gates[0].promql compares nothing: it would be true whatever
          {maxAge: 90s}              | '{gates: [{promql: ''sum(up{app!="a > b"})''}]}' | 11 spec.health.gates[0].promql compares nothing
          {maxAge: 90s}              | '{gates: [{promql: up > bool 1}]}' | 11 spec.health.gates[0].promql compares with bool
          {maxAge: 90s}              | '{gates: [{promql: up > 1, for: 169h}]}' | 11 spec.health.gates[0].for is '169h', must be at most 168h
          {maxAge: 90s}              | '{gates: [{promql: up > 1, onUnknown: Go}]}' | 11 spec.health.gates[0].onUnknown is 'Go', must be
          drain: {timeout: 1h}       | batching: {by: rack, mode: AllOrNone} | 12 spec.batching.by is 'rack', must be faultZone
          drain: {timeout: 1h}       | batching: {by: faultZone} | 12 spec.batching.mode is missing: must be AllOrNone
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
                  hooks: []
                  remediation: []
                """))
        .satisfiesExactly(
            f -> assertThat(f).startsWith("3 metadata.team is missing"),
            f -> assertThat(f).startsWith("5 spec.applications[1] application a is listed twice"),
            f -> assertThat(f).startsWith("6 spec.capacity is an empty list"),
            f -> assertThat(f).startsWith("7 spec.desired is -5"),
            f -> assertThat(f).startsWith("8 spec.hooks is an empty list, must be a mapping"),
            f ->
                assertThat(f).startsWith("9 spec.remediation is an empty list, must be a mapping"));
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
