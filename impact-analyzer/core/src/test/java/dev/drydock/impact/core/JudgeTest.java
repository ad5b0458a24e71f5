package dev.drydock.impact.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Verdict;
import dev.drydock.lock.core.Verdict.Decision;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class JudgeTest {
  private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");

  private final List<FleetInstance> instances = new ArrayList<>();
  private final List<FleetHost> hosts =
      new ArrayList<>(
          IntStream.rangeClosed(1, 4)
              .mapToObj(n -> new FleetHost("h" + n, "static", false, 10, Map.of(), false))
              .toList());
  private Instant reported = NOW.minusSeconds(2);
  private Set<String> held = Set.of();
  private Policies policies = policies(new MaxUnavailable(new Amount.Count(1)));

  JudgeTest() {
    for (int n = 1; n <= 3; n++) {
      instances.add(web("h" + n, Health.HEALTHY, 10));
    }
  }

  private static FleetInstance web(String host, Health health, long mark) {
    return new FleetInstance(
        "web@" + host, "web", host, "z", 1, health, mark, NOW.minusSeconds(2), false);
  }

  private static Policies policies(Rule... rules) {
    Policy policy =
        new Policy(
            "web",
            3,
            "web",
            List.of("web"),
            List.of(rules),
            new DesiredInstances.FromScheduler(),
            Duration.ofSeconds(60),
            Duration.ofMinutes(5));
    return new Policies(Map.of("web", policy), Map.of());
  }

  private Fleet fleet() {
    SourceReport report = new SourceReport(10, reported);
    return new Fleet(
        NOW, Duration.ofSeconds(30), Map.of("static", report), hosts, instances, List.of());
  }

  private Verdict take(String... taken) {
    return Judge.judge(fleet(), policies, new DisruptionRequest(Set.of(taken), Set.of(), held));
  }

  @Test
  void grantsWithinTheBudgetAndKeepsTheNumbersAsEvidence() {
    Verdict verdict = take("h1");
    assertThat(verdict.granted()).isTrue();
    Verdict.Finding finding = verdict.findings().getFirst();
    assertThat(finding.rule()).isEqualTo("maxUnavailable 1");
    assertThat(List.of(finding.desired(), finding.up(), finding.taken(), finding.required()))
        .containsExactly(3, 3, 1, 2);
  }

  @Test
  void looksAheadPastThoseWhoWorkButNotPastWhatIsBroken() {
    instances.set(0, web("h1", Health.UNHEALTHY, 10));
    held = Set.of("h1");
    assertThat(takeOnceEnded("h1").granted()).as("its own work has it down").isTrue();

    held = Set.of();
    assertThat(takeOnceEnded().granted()).as("it is down and nobody works on it").isFalse();

    instances.set(0, web("h1", Health.UNHEALTHY, 9));
    assertThat(takeOnceEnded().granted()).as("the last work there just ended").isTrue();
    assertThat(take("h2").granted()).isFalse();
  }

  private Verdict takeOnceEnded(String... ending) {
    DisruptionRequest disruptionRequest = new DisruptionRequest(Set.of("h2"), Set.of(), Set.of());
    return Judge.judge(fleet(), policies, disruptionRequest.onceEnded(Set.of(ending)));
  }

  @Test
  void holdsSecondHostOfBudgetOfOneNamingApplicationRuleAndNumbers() {
    held = Set.of("h1");
    Verdict verdict = take("h2");
    assertThat(verdict.decision()).isEqualTo(Decision.WAIT);
    assertThat(verdict.reason())
        .isEqualTo(
            "application web: maxUnavailable 1 (policy web version 3) needs 2 of 3 up; 2 up, this"
                + " takes 1; not up: web@h1 (its host is locked)");
  }

  @Test
  void tellsWhatLastsLongestFirstAndLeavesNothingOut() {
    held = Set.of("h1");
    WeeklyWindow never =
        new WeeklyWindow(
            ZoneId.of("UTC"), Set.of(DayOfWeek.SUNDAY), LocalTime.of(1, 0), LocalTime.of(2, 0));
    policies =
        policies(
            new MaxUnavailable(new Amount.Count(1)),
            new Calendar(List.of(never), List.of(), Duration.ofMinutes(1)));
    assertThat(take("h2").reason().split(Verdict.ALSO))
        .hasSize(2)
        .satisfies(reasons -> assertThat(reasons[0]).contains("windows", "closed"))
        .satisfies(reasons -> assertThat(reasons[1]).contains("maxUnavailable 1"));
  }

  @Test
  void doesNotCountTheHostsOfACheckTwice() {
    held = Set.of("h1");
    assertThat(take("h1").granted()).isTrue();
  }

  @Test
  void refusesWhatCouldNeverFit() {
    Verdict verdict = take("h1", "h2");
    assertThat(verdict.decision()).isEqualTo(Decision.REFUSE);
    assertThat(verdict.reason()).contains("needs 2 of 3 up", "takes 2", "even with all up");
  }

  @Test
  void roundsPercentagesDown() {
    policies = policies(new MaxUnavailable(new Amount.Percent(33)));
    assertThat(take("h1").decision()).isEqualTo(Decision.REFUSE);
    policies = policies(new MaxUnavailable(new Amount.Percent(34)));
    assertThat(take("h1").granted()).isTrue();
  }

  @Test
  void theStrictestRuleDecides() {
    policies = policies(new MaxUnavailable(new Amount.Count(2)), new MinAvailable(3));
    Verdict verdict = take("h1");
    assertThat(verdict.granted()).isFalse();
    assertThat(verdict.findings()).extracting(Verdict.Finding::allows).containsExactly(true, false);
  }

  @Test
  void refusesApplicationWithoutPolicy() {
    policies = new Policies(Map.of(), Map.of());
    Verdict verdict = take("h1");
    assertThat(verdict.decision()).isEqualTo(Decision.REFUSE);
    assertThat(verdict.reason()).contains("application web has no policy");
  }

  @Test
  void holdsApplicationsOfAnUnreadablePolicyOnly() {
    instances.add(
        new FleetInstance(
            "ads@h4", "ads", "h4", "z", 1, Health.HEALTHY, 10, NOW.minusSeconds(2), false));
    policies = new Policies(policies.byApplication(), Map.of("ads", "line 4: broken"));
    assertThat(take("h4").decision()).isEqualTo(Decision.WAIT);
    assertThat(take("h4").reason()).contains("ads", "line 4: broken");
    assertThat(take("h1").granted()).isTrue();
  }

  @Test
  void aHostWithoutInstancesNeedsNoPolicy() {
    policies = new Policies(Map.of(), Map.of());
    assertThat(take("h4").granted()).isTrue();
  }

  @Test
  void anUnhealthyInstanceSpendsTheBudget() {
    instances.set(2, web("h3", Health.UNHEALTHY, 10));
    assertThat(take("h1").reason()).contains("web@h3 (unhealthy)");
    assertThat(take("h3").granted()).as("taking what is down already").isTrue();
  }

  @Test
  void anObservationBeforeTheLastEffectIsNotUp() {
    instances.set(2, web("h3", Health.HEALTHY, 9));
    assertThat(take("h1").decision()).isEqualTo(Decision.WAIT);
    assertThat(take("h1").reason()).contains("not observed since the last work on its host");
  }

  @Test
  void holdsWhenTheSourceIsSilentAndNamesIt() {
    reported = NOW.minusSeconds(31);
    Verdict verdict = take("h1");
    assertThat(verdict.decision()).isEqualTo(Decision.WAIT);
    assertThat(verdict.reason()).contains("source static has not reported for 31 s, bound 30 s");
  }

  @Test
  void anObservationFromTheFutureIsNotUp() {
    instances.set(2, observed("h3", NOW.plusSeconds(6)));
    assertThat(take("h1").decision()).isEqualTo(Decision.WAIT);
    assertThat(take("h1").reason()).contains("web@h3 (observed 6 s in the future");
    instances.set(2, observed("h3", NOW.plusMillis(5_001)));
    assertThat(take("h1").decision()).as("more than clocks differ").isEqualTo(Decision.WAIT);
    instances.set(2, observed("h3", NOW.plusSeconds(5)));
    assertThat(take("h1").granted()).as("clocks differ a little").isTrue();
  }

  private static FleetInstance observed(String host, Instant then) {
    return new FleetInstance("web@" + host, "web", host, "z", 1, Health.HEALTHY, 10, then, false);
  }

  @Test
  void holdsWhenTheNewestReportIsFromTheFuture() {
    reported = NOW.plusSeconds(6);
    assertThat(take("h1").decision()).isEqualTo(Decision.WAIT);
    assertThat(take("h1").reason()).contains("source static reported 6 s in the future");
    reported = NOW.plusSeconds(5);
    assertThat(take("h1").granted()).isTrue();
  }

  @Test
  void unknownAndVanishedHostsAreHeld() {
    assertThat(take("h9").reason()).contains("host h9 is not in the inventory");
    hosts.set(3, new FleetHost("h4", "static", true, 0, Map.of(), false));
    assertThat(take("h4").reason()).contains("host h4 vanished");
  }

  @Test
  void aVanishedInstanceIsNeitherDesiredNorUp() {
    FleetInstance web3 = instances.removeLast();
    instances.add(
        new FleetInstance(
            "web@h3", "web", "h3", "z", 1, Health.HEALTHY, 10, web3.observedAt(), true));
    Verdict.Finding finding = take("h1").findings().getFirst();
    assertThat(List.of(finding.desired(), finding.up())).containsExactly(2, 2);
  }

  @Test
  void judgesNamedApplicationsBesideThoseOnTheHosts() {
    Verdict verdict =
        Judge.judge(
            fleet(), policies, new DisruptionRequest(Set.of("h4"), Set.of("ads"), Set.of()));
    assertThat(verdict.decision()).isEqualTo(Decision.REFUSE);
    assertThat(verdict.reason()).contains("application ads has no policy");
  }

  @Test
  void aHostIsHealthySinceAMarkOnceEverythingOnItWasSeenThen() {
    held = Set.of("h1");
    assertThat(Judge.healthySince(fleet(), policies, "h1", 10)).as("locked or not").isTrue();
    assertThat(Judge.healthySince(fleet(), policies, "h1", 11)).isFalse();
    assertThat(Judge.healthySince(fleet(), policies, "h4", 10)).as("nothing on it").isTrue();
    assertThat(Judge.healthySince(fleet(), policies, "h4", 11)).isFalse();
    assertThat(Judge.healthySince(fleet(), policies, "h9", 1)).isFalse();
    instances.set(0, web("h1", Health.UNHEALTHY, 10));
    assertThat(Judge.healthySince(fleet(), policies, "h1", 10)).isFalse();
  }
}
