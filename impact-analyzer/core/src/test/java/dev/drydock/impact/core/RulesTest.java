package dev.drydock.impact.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Verdict;
import dev.drydock.lock.core.Verdict.Decision;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What each rule says, on six hosts in three zones and racks of two; web runs on all of them. */
class RulesTest {
  /** A Monday. */
  private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");

  private static final Set<DayOfWeek> WORK_DAYS =
      Set.of(DayOfWeek.MONDAY, DayOfWeek.TUESDAY, DayOfWeek.WEDNESDAY, DayOfWeek.THURSDAY);

  private final List<FleetHost> hosts = new ArrayList<>();
  private final List<FleetInstance> instances = new ArrayList<>();
  private final List<Disruption> disruptions = new ArrayList<>();
  private final Map<Gate, GateReading> gates = new HashMap<>();
  private final Map<String, Policy> policies = new HashMap<>();
  private Set<String> held = Set.of();

  RulesTest() {
    for (int n = 1; n <= 6; n++) {
      hosts.add(host("h" + n, Map.of("rack", "r" + (n + 1) / 2), false));
      instances.add(web(n, "z" + (n + 1) / 2, Health.HEALTHY));
    }
  }

  private static FleetHost host(String name, Map<String, String> labels, boolean inBatch) {
    return new FleetHost(name, "static", false, 10, labels, inBatch);
  }

  private static FleetInstance web(int host, String zone, Health health) {
    return instance("web", "h" + host, zone, health);
  }

  private static FleetInstance instance(
      String application, String host, String zone, Health health) {
    return new FleetInstance(
        application + "@" + host,
        application,
        host,
        zone,
        1,
        health,
        10,
        NOW.minusSeconds(2),
        false);
  }

  private void rules(String application, Rule... rules) {
    policies.put(
        application,
        new Policy(
            application,
            3,
            application,
            List.of(application),
            List.of(rules),
            new DesiredInstances.FromScheduler(),
            Duration.ofSeconds(60),
            Duration.ofMinutes(5)));
  }

  private Fleet fleet() {
    SourceReport report = new SourceReport(10, NOW.minusSeconds(2));
    return new Fleet(
        NOW,
        Duration.ofSeconds(30),
        Map.of("static", report),
        hosts,
        instances,
        disruptions,
        new ExternalAnswers(gates));
  }

  private Policies inForce() {
    return new Policies(policies, Map.of());
  }

  private Verdict take(String... taken) {
    return Judge.judge(fleet(), inForce(), new DisruptionRequest(Set.of(taken), Set.of(), held));
  }

  private Map<String, List<String>> infeasible(String... hosts) {
    return Judge.infeasible(fleet(), inForce(), Stream.of(hosts).map(List::of).toList());
  }

  private void holds(String reason, String... taken) {
    assertThat(take(taken).reason()).isEqualTo(reason);
    assertThat(take(taken).decision()).isEqualTo(Decision.WAIT);
  }

  private void refuses(String reason, String... taken) {
    assertThat(take(taken).reason()).isEqualTo(reason);
    assertThat(take(taken).decision()).isEqualTo(Decision.REFUSE);
  }

  private void grants(String... taken) {
    assertThat(take(taken).granted()).as(take(taken).reason()).isTrue();
  }

  @Test
  void minAvailableThatCanNeverBeMetIsInfeasible() {
    rules("web", new MinAvailable(6));
    refuses(
        "application web: minAvailable 6 (policy web version 3) needs 6 of 6 up; 6 up, this takes"
            + " 1; too many even with all up: 5 would stay, 6 are needed",
        "h1");
    assertThat(infeasible("h1", "h9"))
        .isEqualTo(
            Map.of(
                "h1",
                List.of(
                    "application web: minAvailable 6 (policy web version 3) too many even with all"
                        + " up: 5 would stay, 6 are needed")));
    rules("web", new MinAvailable(5));
    instances.set(5, web(6, "z3", Health.UNHEALTHY));
    assertThat(take("h1").decision()).isEqualTo(Decision.WAIT);
    assertThat(infeasible("h1")).as("what is down now may come up").isEmpty();
  }

  @Test
  void finishesOneZoneBeforeTheNext() {
    rules("web", new MaxDomainsInFlight(new Domain.Zone(), 1));
    held = Set.of("h1");
    grants("h2");
    holds(
        "application web: maxZonesInFlight 1 (policy web version 3) allows 1 in flight; this takes"
            + " z2, beside it z1: web@h1 (its host is locked)",
        "h3");
    held = Set.of();
    instances.set(0, web(1, "z1", Health.UNHEALTHY));
    holds(
        "application web: maxZonesInFlight 1 (policy web version 3) allows 1 in flight; this takes"
            + " z2, beside it z1: web@h1 (unhealthy)",
        "h3");
    instances.set(0, web(1, "z1", Health.HEALTHY));
    grants("h3");
    refuses(
        "application web: maxZonesInFlight 1 (policy web version 3) allows 1 in flight; this takes"
            + " z1, z2, beside it none; it takes 2 at once: z1, z2",
        "h1",
        "h3");
  }

  @Test
  void domainsAreHostLabelsAsWell() {
    rules("web", new MaxDomainsInFlight(new Domain.Label("rack"), 2));
    assertThat(inForce().facts("web").labels()).containsExactly("rack");
    held = Set.of("h1", "h2", "h3");
    grants("h4");
    assertThat(take("h5").reason())
        .startsWith("application web: maxDomainsInFlight 2 by rack")
        .contains("r1: web@h1 (its host is locked), web@h2", "r2: web@h3", "takes r3");
  }

  @Test
  void aHostWithoutTheLabelIsHeldUntilItHasOne() {
    rules("web", new MaxDomainsInFlight(new Domain.Label("rack"), 1));
    hosts.set(0, host("h1", Map.of(), false));
    grants("h3");
    holds(
        "application web: maxDomainsInFlight 1 by rack (policy web version 3) cannot be judged:"
            + " host h1 of web@h1 has no label rack",
        "h1");
    held = Set.of("h1");
    assertThat(take("h3").granted()).as("in flight nobody knows where").isFalse();
    assertThat(infeasible("h1")).isEmpty();
  }

  private void disrupted(int host, Duration ago, boolean ongoing) {
    disruptions.add(new Disruption("web@h" + host, "web", "h" + host, NOW.minus(ago), ongoing));
  }

  @Test
  void noInstanceIsTakenTwiceWithinTheInterval() {
    rules("web", new DisruptionInterval(Duration.ofHours(24)));
    assertThat(inForce().facts("web").past()).isEqualTo(Duration.ofHours(24));
    disrupted(1, Duration.ofHours(23), false);
    disrupted(2, Duration.ofHours(24), false);
    holds(
        "application web: disruptionInterval 24h (policy web version 3) web@h1 was taken down 82800"
            + " s ago, on h1; not again before 2026-06-01T13:00:00Z",
        "h1");
    grants("h2");
    grants("h3");
  }

  @Test
  void anInstanceThatMovedKeepsItsInterval() {
    rules("web", new DisruptionInterval(Duration.ofHours(24)));
    disruptions.add(new Disruption("web@h3", "web", "h1", NOW.minus(Duration.ofHours(1)), false));
    assertThat(take("h3").reason()).contains("web@h3 was taken down 3600 s ago, on h1");
    grants("h1");
  }

  @Test
  void aCheckIsNotItsOwnDisruption() {
    rules("web", new DisruptionInterval(Duration.ofHours(24)));
    disrupted(1, Duration.ofMinutes(1), true);
    grants("h1");
  }

  @Test
  void noMoreThanTheRateAreTakenDownInAnHour() {
    rules("web", new DisruptionRate(new Amount.Percent(50), Duration.ofHours(1)));
    disrupted(1, Duration.ofMinutes(59), false);
    disrupted(2, Duration.ofMinutes(60), false);
    held = Set.of("h3");
    grants("h4");
    held = Set.of("h3", "h4");
    holds(
        "application web: disruptionRate 50% per 1h (policy web version 3) allows 3 of 6 in 1h; 1"
            + " were taken down, 2 are about to be, this takes 1; the oldest is over at"
            + " 2026-06-01T12:01:00Z",
        "h5");
    disrupted(4, Duration.ofHours(5), true);
    grants("h5");
  }

  @Test
  void aRepairOfWhatIsDownByItselfIsNoDisruption() {
    rules(
        "web",
        new DisruptionRate(new Amount.Count(1), Duration.ofHours(1)),
        new DisruptionInterval(Duration.ofHours(24)));
    disrupted(1, Duration.ofMinutes(10), false);
    instances.set(1, web(2, "z1", Health.UNHEALTHY));
    grants("h2");
    assertThat(take("h3").reason()).as("one that is up").contains("this takes 1");
    instances.set(0, web(1, "z1", Health.UNHEALTHY));
    grants("h1");
    instances.set(0, web(1, "z1", Health.UNKNOWN));
    assertThat(take("h1").reason())
        .as("nobody knows whether it is up")
        .contains("web@h1 was taken");
  }

  @Test
  void whatABatchIsAboutToRepairDoesNotCount() {
    rules("web", new DisruptionRate(new Amount.Count(1), Duration.ofHours(1)));
    hosts.set(1, host("h2", Map.of(), true));
    instances.set(1, web(2, "z1", Health.UNHEALTHY));
    held = Set.of("h2");
    grants("h3");
    hosts.set(1, host("h2", Map.of(), false));
    assertThat(take("h3").reason())
        .as("its holder may have taken it down")
        .contains("1 are about to be, this takes 1");
  }

  @Test
  void aRateThatRoundsToNothingIsInfeasible() {
    rules("web", new DisruptionRate(new Amount.Percent(16), Duration.ofHours(1)));
    refuses(
        "application web: disruptionRate 16% per 1h (policy web version 3) allows 0 of 6 in 1h; 0"
            + " were taken down, 0 are about to be, this takes 1; it takes 1 at once, 0 are allowed",
        "h1");
    assertThat(infeasible("h1")).containsOnlyKeys("h1");
  }

  @Test
  void aGateIsOpenOnlyWhileMonitoringSaysSo() {
    Gate gate = new Gate("avg(up) > 0.99", Duration.ofMinutes(5));
    rules("web", gate);
    assertThat(inForce().gates()).containsExactly(gate);
    String name = "application web: gate avg(up) > 0.99 for 5m (policy web version 3) ";
    holds(name + "is unknown: monitoring was not asked yet", "h1");
    gates.put(gate, new GateReading.Unknown("Prometheus says bad_data: parse error"));
    holds(name + "is unknown: Prometheus says bad_data: parse error", "h1");
    gates.put(gate, new GateReading.Fails(NOW, "was not true at 11:57"));
    holds(name + "was not true at 11:57", "h1");
    gates.put(gate, new GateReading.Holds(NOW.minusSeconds(31)));
    holds(name + "is unknown: monitoring answered 31 s ago, bound 30 s", "h1");
    gates.put(gate, new GateReading.Holds(NOW.minusSeconds(30)));
    grants("h1");
    assertThat(infeasible("h1")).isEmpty();
  }

  private static WeeklyWindow window(String zone, String from, String to) {
    return new WeeklyWindow(ZoneId.of(zone), WORK_DAYS, LocalTime.parse(from), LocalTime.parse(to));
  }

  private static Calendar windows(WeeklyWindow... windows) {
    return new Calendar(List.of(windows), List.of(), Duration.ofHours(1));
  }

  @Test
  void aClosedWindowTellsWhenItOpensNext() {
    rules("web", windows(window("America/Los_Angeles", "09:00", "16:00")));
    holds(
        "application web: windows [Mon,Tue,Wed,Thu 09:00-16:00 America/Los_Angeles] (policy web"
            + " version 3) closed; next at 2026-06-01T16:00:00Z",
        "h1");
  }

  @Test
  void workThatWouldOutlastItsWindowDoesNotBeginButWorkThatBeganGoesOn() {
    rules("web", windows(window("Europe/Berlin", "09:00", "14:30")));
    holds(
        "application web: windows [Mon,Tue,Wed,Thu 09:00-14:30 Europe/Berlin] (policy web version"
            + " 3) open until 2026-06-01T12:30:00Z, and work takes 1h: it had to begin by"
            + " 2026-06-01T11:30:00Z; next at 2026-06-02T07:00:00Z",
        "h1");
    hosts.set(0, host("h1", Map.of(), true));
    grants("h1");
    rules("web", windows(window("Europe/Berlin", "09:00", "14:00")));
    assertThat(take("h1").reason()).as("but no undeploy after the window").contains("closed");
  }

  @Test
  void aBlackoutGoesBeforeAnyWindow() {
    Blackout launch =
        new Blackout(
            ZoneOffset.UTC,
            LocalDateTime.parse("2026-06-01T00:00"),
            LocalDateTime.parse("2026-06-03T00:00"),
            "launch");
    WeeklyWindow open = window("UTC", "09:00", "16:00");
    rules("web", new Calendar(List.of(open), List.of(launch), Duration.ofHours(1)));
    assertThat(take("h1").reason())
        .endsWith("blackout until 2026-06-03T00:00:00Z (launch); next at 2026-06-03T09:00:00Z");
    hosts.set(0, host("h1", Map.of(), true));
    assertThat(take("h1").granted()).as("not even a check").isFalse();
  }

  @Test
  void windowsOfSeveralTeamsOnAHostAreIntersectedAndBlackoutsAddUp() {
    instances.add(instance("ads", "h1", "z", Health.HEALTHY));
    rules("web", windows(window("UTC", "09:00", "13:00")));
    rules("ads", windows(window("UTC", "11:00", "16:00")));
    grants("h1");
    rules("ads", windows(window("UTC", "13:00", "16:00")));
    assertThat(take("h1").reason()).startsWith("application ads: windows").contains("closed");
    grants("h2");
    assertThat(infeasible("h1", "h2"))
        .isEqualTo(
            Map.of(
                "h1",
                List.of(
                    "in the coming 400 days the windows of ads, web have no time in common in which"
                        + " work could begin")));
    rules("ads", windows(window("UTC", "12:00", "16:00")));
    assertThat(infeasible("h1")).as("one hour, and work takes one").isEmpty();
  }

  @Test
  void capacityOfEveryTeamApplies() {
    instances.add(instance("ads", "h1", "z", Health.HEALTHY));
    rules("web", new MaxUnavailable(new Amount.Count(1)));
    rules("ads", new MinAvailable(1));
    refuses(
        "application ads: minAvailable 1 (policy ads version 3) needs 1 of 1 up; 1 up, this takes"
            + " 1; too many even with all up: 0 would stay, 1 are needed",
        "h1");
    grants("h2");
  }

  @Test
  void everyRuleLeavesAFinding() {
    rules(
        "web",
        new MaxUnavailable(new Amount.Count(1)),
        new MaxDomainsInFlight(new Domain.Zone(), 1),
        new DisruptionInterval(Duration.ofHours(24)),
        windows(window("UTC", "09:00", "16:00")));
    assertThat(take("h1").findings()).hasSize(4).allMatch(Verdict.Finding::allows);
  }
}
