package dev.drydock.auditor.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.auditor.core.BudgetRule.MaxDomains;
import dev.drydock.auditor.core.BudgetRule.MaxUnavailable;
import dev.drydock.auditor.core.BudgetRule.MaxZones;
import dev.drydock.auditor.core.BudgetRule.MinAvailable;
import dev.drydock.auditor.core.BudgetRule.MinCapacity;
import dev.drydock.auditor.core.BudgetRule.Share;
import dev.drydock.auditor.core.PolicyCalendar.Never;
import dev.drydock.auditor.core.PolicyCalendar.Weekly;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Four instances of web, one on each of h1 to h4; a grant of h1 at noon is judged. */
final class BudgetCheckTest {
  private static final Instant NOON = Instant.parse("2026-11-22T12:00:00Z");
  private static final Duration STALENESS = Duration.ofSeconds(30);

  private final List<LoggedInstanceState> instances = new ArrayList<>();
  private final List<ObservationReport> sightings = new ArrayList<>();
  private final List<LoggedHostState> hosts = new ArrayList<>();
  private final List<LockEntry> locks = new ArrayList<>();
  private final List<String> timeGaps = new ArrayList<>();
  private final List<PolicyVersion> policies = new ArrayList<>();
  private Optional<PolicyCalendar> times = Optional.empty();

  BudgetCheckTest() {
    for (int i = 1; i <= 4; i++) {
      String rack = i <= 2 ? "a" : "b";
      told("h" + i, "Healthy", NOON.minusSeconds(3600));
      hosts.add(new LoggedHostState(NOON.minusSeconds(3600), "h" + i, Map.of("rack", rack), 0));
    }
    reported(NOON.minusSeconds(35));
    reported(NOON.minusSeconds(5));
  }

  private void told(String host, String health, Instant at) {
    instances.add(
        new LoggedInstanceState(
            instances.size(),
            at,
            "web@" + host,
            "web",
            host,
            "z-" + host,
            host.equals("h4") ? 10 : 1,
            health,
            false,
            "static",
            1,
            at));
  }

  /** All of it, read a second before. */
  private void reported(Instant at) {
    sightings.add(
        new ObservationReport(
            "static",
            sightings.size() + 10,
            at.minusSeconds(1),
            at,
            true,
            Optional.empty(),
            at.minusSeconds(1)));
  }

  private void lock(String what, String lock, String kind, String host, Instant at) {
    locks.add(
        new LockEntry(
            1,
            100 + locks.size(),
            0,
            at,
            what,
            lock,
            kind,
            List.of(host),
            "x",
            "",
            Optional.empty(),
            Optional.empty()));
  }

  private void policy(Instant from, BudgetRule... rules) {
    policies.add(
        new PolicyVersion(
            "p",
            policies.size() + 1,
            from,
            Set.of("web"),
            List.of(rules),
            Optional.empty(),
            Duration.ofSeconds(60),
            times,
            List.of()));
  }

  private void policy(BudgetRule... rules) {
    policy(NOON.minusSeconds(7200), rules);
  }

  private Finding judged() {
    AuditedRollout auditedRollout =
        new AuditedRollout(
            "r1",
            NOON.minusSeconds(60),
            false,
            Optional.empty(),
            List.of(),
            List.of(),
            timeGaps,
            OptionalLong.empty(),
            NOON.plusSeconds(3600));
    BudgetCheck budgetCheck = new BudgetCheck(auditedRollout, STALENESS, () -> {});
    budgetCheck.look(
        new ApplicationLog(
            "web",
            instances,
            sightings,
            hosts,
            locks,
            policies,
            List.of(new LoggedAdmission("g1", "grant", NOON, OptionalLong.empty(), List.of("h1"))),
            NOON.minusSeconds(86_400)));
    return budgetCheck.finding();
  }

  private void isHeld() {
    Finding finding = judged();
    assertThat(finding.verdict()).as(finding.toString()).isEqualTo(InvariantVerdict.HELD);
    assertThat(finding.judged()).isOne();
  }

  private void isViolated(String says) {
    Finding finding = judged();
    assertThat(finding.violations())
        .as(finding.toString())
        .singleElement()
        .satisfies(
            one -> assertThat(one.says()).isEqualTo("grant of g1 was admitted though " + says));
  }

  @Test
  void oneOfFourMayGoWhereOneMayBeDown() {
    policy(new MaxUnavailable(new Share(1, false)));
    isHeld();
  }

  @Test
  void anotherThatIsDownIsCounted() {
    policy(new MaxUnavailable(new Share(1, false)));
    told("h2", "Unhealthy", NOON.minusSeconds(600));
    isViolated("2 of 4 would be left, 3 are required by maxUnavailable 1 (policy p version 1)");
  }

  /** What was observed between the copy and its restore is gone, and so are locks. */
  @Test
  void whereAStoreWasRestoredNobodyIsAccused() {
    policy(new MaxUnavailable(new Share(1, false)));
    told("h2", "Unhealthy", NOON.minusSeconds(600));
    timeGaps.add("etcd was restored, as noticed at noon");
    Finding finding = judged();
    assertThat(finding.verdict()).isEqualTo(InvariantVerdict.UNKNOWN);
    assertThat(finding.violations()).isEmpty();
    assertThat(finding.gaps()).contains("etcd was restored, as noticed at noon");
  }

  @Test
  void anotherThatIsLockedIsCounted() {
    policy(new MinAvailable(3));
    lock("Granted", "t1", "Session", "h3", NOON.minusSeconds(600));
    isViolated("2 of 4 would be left, 3 are required by minAvailable 3 (policy p version 1)");
  }

  @Test
  void whatWasToldWithinTheBoundNeedNotHaveBeenKnown() {
    policy(new MinAvailable(3));
    told("h2", "Unhealthy", NOON.minusSeconds(20));
    isHeld();
  }

  @Test
  void aShareIsRoundedToTheCarefulSide() {
    policy(new MaxUnavailable(new Share(24, true)));
    isViolated("3 of 4 would be left, 4 are required by maxUnavailable 24% (policy p version 1)");
  }

  @Test
  void capacityIsWeighed() {
    policy(new MinCapacity(new Share(12, false)));
    isHeld();
    policies.clear();
    policy(new MinCapacity(new Share(95, true)));
    isViolated(
        "12 of 13 would be left, 13 are required by minAvailable capacity 95% (policy p version 1)");
  }

  @Test
  void zonesAndDomainsInFlightAreCounted() {
    policy(new MaxZones(1), new MaxDomains("rack", 1));
    isHeld();
    told("h2", "Unhealthy", NOON.minusSeconds(600));
    isViolated(
        "[z-h1, z-h2] would be in flight, which maxZonesInFlight 1 does not allow (policy p version 1)");
    policies.clear();
    policy(new MaxDomains("rack", 1));
    isHeld();
    told("h3", "Unhealthy", NOON.minusSeconds(600));
    isViolated(
        "[a, b] would be in flight, which maxDomainsInFlight rack 1 does not allow (policy p version 1)");
  }

  @Test
  void nobodyIsUpWhoWasNotSeenSinceTheLastWork() {
    policy(new MinAvailable(3));
    hosts.add(new LoggedHostState(NOON.minusSeconds(500), "h2", Map.of("rack", "a"), 99));
    isViolated("2 of 4 would be left, 3 are required by minAvailable 3 (policy p version 1)");
  }

  @Test
  void nobodyIsUpWhoseSourceFellSilent() {
    policy(new MinAvailable(3));
    sightings.clear();
    reported(NOON.minusSeconds(200));
    isViolated("0 of 4 would be left, 3 are required by minAvailable 3 (policy p version 1)");
  }

  /**
   * Its last lock was written down as ended after the report was read: which came first is not
   * known.
   */
  @Test
  void whatTheLogDoesNotTellToTheMomentIsUnknown() {
    policy(new MinAvailable(3));
    lock("Granted", "t1", "Session", "h2", NOON.minusSeconds(600));
    lock("Ended", "t1", "Session", "h2", NOON.minusSeconds(3));
    Finding finding = judged();
    assertThat(finding.verdict()).as(finding.toString()).isEqualTo(InvariantVerdict.UNKNOWN);
    assertThat(finding.gaps()).singleElement().asString().contains("as far as the log tells");
  }

  private void window(String from, String to, String expected) {
    policies.clear();
    times =
        Optional.of(
            new PolicyCalendar(
                List.of(
                    new Weekly(
                        ZoneId.of("UTC"), Set.of(), LocalTime.parse(from), LocalTime.parse(to))),
                List.of(),
                Duration.parse(expected)));
    policy(new MinAvailable(3));
  }

  @Test
  void windowsAndBlackoutsAreJudged() {
    window("09:00", "13:00", "PT45M");
    isHeld();
    window("09:00", "12:30", "PT45M");
    isViolated("windows are not open for 45m at 2026-11-22T12:00:00Z (policy p version 1)");
    window("13:00", "11:00", "PT1M");
    isViolated("windows are not open for 1m at 2026-11-22T12:00:00Z (policy p version 1)");
    window("09:00", "12:00", "PT0S");
    assertThat(judged().verdict())
        .as("it may have been decided before the window ended")
        .isEqualTo(InvariantVerdict.UNKNOWN);
    window("09:00", "13:00", "PT45M");
    Never soon =
        new Never(
            ZoneId.of("UTC"),
            LocalDateTime.parse("2026-11-22T12:30"),
            LocalDateTime.parse("2026-11-23T00:00"));
    times = Optional.of(new PolicyCalendar(List.of(), List.of(soon), Duration.ofMinutes(45)));
    policies.clear();
    policy(new MinAvailable(3));
    isViolated("a blackout forbids work of 45m at 2026-11-22T12:00:00Z (policy p version 1)");
    times = Optional.of(new PolicyCalendar(List.of(), List.of(soon), Duration.ofMinutes(30)));
    policies.clear();
    policy(new MinAvailable(3));
    isHeld();
  }

  @Test
  void withoutAPolicyNobodyIsAdmitted() {
    isViolated("it has no policy");
  }

  @Test
  void whereAPolicyWasJustReplacedEitherMayHaveBeenGoneBy() {
    policy(new MinAvailable(3));
    policy(NOON.minusSeconds(10), new MinAvailable(4));
    assertThat(judged().verdict()).isEqualTo(InvariantVerdict.UNKNOWN);
    policies.clear();
    policy(new MinAvailable(3));
    policy(NOON.minusSeconds(600), new MinAvailable(4));
    isViolated("3 of 4 would be left, 4 are required by minAvailable 4 (policy p version 2)");
  }

  @Test
  void aLaterDropIsABreachOnlyWhileTheBatchHasItsHosts() {
    policy(new MinAvailable(3));
    lock("Granted", "g1", "Batch", "h1", NOON.plusSeconds(1));
    lock("Ended", "g1", "Batch", "h1", NOON.plusSeconds(900));
    for (int second = 0; second < 3000; second += 10) {
      reported(NOON.plusSeconds(second));
    }
    told("h2", "Unhealthy", NOON.plusSeconds(300));
    Finding finding = judged();
    assertThat(finding.verdict()).as(finding.toString()).isEqualTo(InvariantVerdict.HELD);
    assertThat(finding.breaches())
        .extracting(FindingDetail::says)
        .containsExactly(
            "2 of 4 would be left, 3 are required by minAvailable 3 (policy p version 1), since web@h2"
                + " on h2 was told to be Unhealthy after g1 was granted");
    told("h2", "Healthy", NOON.plusSeconds(800));
    told("h3", "Unhealthy", NOON.plusSeconds(2000));
    assertThat(judged().breached()).isOne();
  }
}
