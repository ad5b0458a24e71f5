package dev.drydock.impact.service;

import static dev.drydock.impact.service.Rows.fleetLock;
import static dev.drydock.impact.service.Rows.hold;
import static dev.drydock.impact.service.Rows.policy;
import static dev.drydock.impact.service.Rows.session;
import static dev.drydock.impact.service.gates.SmallPrometheus.matrix;
import static dev.drydock.impact.service.gates.SmallPrometheus.series;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.service.gates.SmallPrometheus;
import dev.drydock.impact.service.gates.SmallPrometheus.Answer;
import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Verdict;
import dev.drydock.lock.core.Verdict.Decision;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.testkit.TestDatabase;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * Rules that need more than what is up now, on rows as reports, batches and the history leave them.
 */
@Tag("stack")
@TestInstance(Lifecycle.PER_CLASS)
class RulesStackTest {
  private final TestDatabase store = TestDatabase.create();
  private final Rows rows = new Rows(store.jdbi());
  private final PolicyStore policies = new PolicyStore(store.jdbi(), () -> {});

  /** One for each test: it remembers texts by version, and versions begin anew. */
  private ImpactAnalyzer analyzer = analyzer();

  private ImpactAnalyzer analyzer() {
    return new ImpactAnalyzer(store.database(), () -> {}, Rows.SETTINGS);
  }

  @AfterAll
  void close() {
    analyzer.close();
    store.close();
  }

  @BeforeEach
  void threeHostsOfWeb() {
    rows.empty();
    analyzer = analyzer();
    long mark = rows.report("static");
    for (String host : List.of("h1", "h2", "h3")) {
      rows.instance("web", host, mark);
    }
  }

  private void rules(String capacity) {
    policies.apply(Principal.server(), policy("web", "web", "[web]", capacity));
  }

  private static LockTable table(LockRecord... locks) {
    Map<String, LockRecord> byHost =
        Arrays.stream(locks).collect(Collectors.toMap(LockRecord::host, Function.identity()));
    return new LockTable(9, byHost, List.of(), Map.of(), Set.of());
  }

  private static LockTable ended(String host, String lock, long mark) {
    return new LockTable(
        9, Map.of(), List.of(), Map.of(host, new EndedLock(host, lock, mark, "ops", "")), Set.of());
  }

  private Verdict judge(LockTable table, String host) {
    List<LockRecord> others =
        table.locks().values().stream().filter(lock -> !lock.host().equals(host)).toList();
    return analyzer.admission().begin(table).judge(List.of(host), List.of(), others);
  }

  private void openedAgo(String grant, String host, String ago) {
    rows.grant(grant, host);
    rows.opened(grant);
    rows.execute(
        "UPDATE disruptions SET at = at - interval '" + ago + "' WHERE lock_id = '" + grant + "'");
  }

  /** Two of them in one zone, all of which has to fit at once. */
  @Test
  void hostsOfAZoneGoTogetherWhereItIsAllOrNone() {
    rows.execute("UPDATE instances SET zone = 'y' WHERE host = 'h2'");
    rules("[{maxUnavailable: 2}]");
    assertThat(analyzer.plan(List.of("h1", "h2", "h3")).batches())
        .containsExactlyInAnyOrder(List.of("h1"), List.of("h2"), List.of("h3"));

    together("[{maxUnavailable: 2}]");
    assertThat(analyzer.plan(List.of("h1", "h2", "h3")).batches())
        .containsExactlyInAnyOrder(List.of("h1", "h3"), List.of("h2"));
    assertThat(analyzer.plan(List.of("h1", "h2", "unknown")).batches())
        .containsExactlyInAnyOrder(List.of("h1"), List.of("h2"), List.of("unknown"));
    assertThat(analyzer.plan(List.of("h1", "h2", "h3")).infeasible()).isEmpty();

    together("[{maxUnavailable: 1}]");
    Map<String, List<String>> infeasible = analyzer.plan(List.of("h1", "h2", "h3")).infeasible();
    assertThat(infeasible).containsOnlyKeys("h1", "h3");
    assertThat(infeasible.get("h3")).singleElement().asString().contains("web", "maxUnavailable 1");
    assertThat(analyzer.plan(List.of("h1", "h2")).infeasible()).as("not all of the zone").isEmpty();
  }

  /** What the planner cannot place now is no reason to refuse: it stays one batch, and waits. */
  @Test
  void whatMayBeGrantedLaterWaitsAsTheBatchItIs() {
    together("[{maxUnavailable: 3}, {maxDomainsInFlight: {topologyKey: rack, max: 1}}]");
    PlannedHosts unlabelled = analyzer.plan(List.of("h1", "h2", "h3"));
    assertThat(unlabelled.infeasible()).isEmpty();
    assertThat(unlabelled.batches()).containsExactly(List.of("h1", "h2", "h3"));
    assertThat(unlabelled.plan().waiting())
        .singleElement()
        .satisfies(waiting -> assertThat(waiting.reason()).contains("by rack cannot be judged"));
  }

  private void together(String capacity) {
    String policy = policy("web", "web", "[web]", capacity);
    policies.apply(
        Principal.server(),
        policy.stripTrailing() + "\n  batching: {by: faultZone, mode: AllOrNone}\n");
  }

  @Test
  void zonesAndRacksAreThoseOfTheReports() {
    rules("[{maxZonesInFlight: 1}]");
    rows.execute("UPDATE instances SET zone = 'y' WHERE host = 'h3'");
    LockTable first = table(hold("g1", "h1"));
    assertThat(judge(first, "h2").granted()).isTrue();
    assertThat(judge(first, "h3").reason())
        .contains("maxZonesInFlight 1", "takes y, beside it z: web@h1 (its host is locked)");

    rules("[{maxDomainsInFlight: {topologyKey: rack, max: 1}}]");
    rows.execute(
        "UPDATE hosts SET labels = '{\"rack\": \"r1\", \"row\": \"a\"}' WHERE name <> 'h2'");
    assertThat(judge(first, "h3").granted()).isTrue();
    assertThat(judge(first, "h2").reason()).contains("host h2 of web@h2 has no label rack");
    rows.execute("UPDATE hosts SET labels = '{\"rack\": \"r2\"}' WHERE name = 'h2'");
    assertThat(judge(first, "h2").reason()).contains("takes r2, beside it r1: web@h1");
  }

  @Test
  void aBatchIsADisruptionOnceItOpenedAndNotBefore() {
    rules("[{maxUnavailable: 3}, {disruptionInterval: 24h}]");
    rows.grant("g1", "h1");
    assertThat(judge(table(), "h1").granted()).as("turned back before it opened").isTrue();
    openedAgo("g2", "h1", "1 hour");
    assertThat(judge(table(hold("g2", "h1")), "h1").granted()).as("its own check").isTrue();
    Verdict again = judge(table(), "h1");
    assertThat(again.decision()).isEqualTo(Decision.WAIT);
    assertThat(again.reason())
        .contains(
            "application web: disruptionInterval 24h (policy web version 1) web@h1 was taken");
    assertThat(judge(table(), "h2").granted()).isTrue();
    rows.execute("UPDATE disruptions SET at = at - interval '23 hours'");
    assertThat(judge(table(), "h1").granted()).isTrue();
  }

  /**
   * Its adapter fell silent in the Drain, its verdict grew old, and it was opened anew or let go.
   */
  @Test
  void aBatchThatDrainedAndWentBackIsOneDisruptionAndWaitsForTheInterval() {
    rules("[{maxUnavailable: 3}, {disruptionInterval: 24h}, {disruptionRate: {max: 2, per: 48h}}]");
    openedAgo("g1", "h1", "2 hours");
    rows.opened("g1");
    assertThat(judge(table(hold("g1", "h1")), "h1").granted()).as("drained again").isTrue();
    rows.ended();
    assertThat(judge(table(), "h2").granted()).as("one of the two that the rate allows").isTrue();
    assertThat(judge(table(), "h1").reason())
        .contains("web@h1 was taken down 0 s ago, on h1; not again before");
    rows.execute("UPDATE disruptions SET at = at - interval '25 hours'");
    assertThat(judge(table(), "h1").granted()).as("the control: later").isTrue();
  }

  @Test
  void aLockOfAnotherClientIsADisruption() {
    rules("[{maxUnavailable: 3}, {disruptionInterval: 24h}]");
    rows.told("Queued", "t1", "Session", "h1");
    rows.told("Granted", "g1", "Batch", "h2");
    assertThat(judge(table(), "h1").granted()).isTrue();
    assertThat(judge(table(), "h2").granted()).as("a batch is told of by its opening").isTrue();
    rows.told("Granted", "t1", "Session", "h1");
    assertThat(judge(table(), "h1").reason()).contains("web@h1 was taken down 0 s ago");
  }

  @Test
  void aLockTheHistoryHasNotToldOfYetCountsByItsEnd() {
    rules("[{maxUnavailable: 3}, {disruptionInterval: 24h}]");
    long mark = rows.report("drydock");
    rows.execute("UPDATE instances SET mark = " + mark);
    LockTable table = ended("h1", "t9", mark);
    assertThat(judge(table, "h1").reason()).contains("web@h1 was taken down");
    assertThat(judge(table, "h2").granted()).isTrue();

    rows.execute(
        "UPDATE marks SET issued_at = issued_at - interval '25 hours' WHERE mark = " + mark);
    assertThat(judge(table, "h1").reason()).doesNotContain("was taken down");
    LockTable forgotten = ended("h1", "t9", Long.MAX_VALUE);
    assertThat(judge(forgotten, "h1").reason()).as("nobody knows when").contains("was taken down");

    rows.grant("t9", "h1");
    assertThat(judge(forgotten, "h1").reason()).doesNotContain("was taken down");
  }

  @Test
  void aLapsedLockTheHistoryHasNotToldOfYetCountsAsNow() {
    rules("[{maxUnavailable: 3}, {disruptionInterval: 24h}]");
    LockRecord lock = session("t9", "h1");
    EndedLock noted = new EndedLock("h1", "t9", lock.token(), 7, "grantor", "lapsed");
    LockTable lapsed =
        new LockTable(9, Map.of("h1", lock), List.of(), Map.of("h1", noted), Set.of());
    assertThat(judge(lapsed, "h1").reason()).contains("web@h1 was taken down");
    rows.told("Granted", "t9", "Session", "h1");
    rows.execute("UPDATE disruptions SET at = at - interval '25 hours'");
    assertThat(judge(lapsed, "h1").granted()).as("it lapsed a day ago").isTrue();
  }

  /** What batches do is known by the trigger alone: without it nothing was disrupted. */
  @Test
  void withoutItsTriggerAnOpenedBatchLeavesNoTrace() {
    rules("[{maxUnavailable: 3}, {disruptionInterval: 24h}]");
    rows.execute("ALTER TABLE grants DISABLE TRIGGER batch_disrupts");
    try {
      openedAgo("g1", "h1", "1 hour");
      assertThat(judge(table(), "h1").granted()).isTrue();
    } finally {
      rows.execute("ALTER TABLE grants ENABLE TRIGGER batch_disrupts");
    }
    openedAgo("g2", "h1", "1 hour");
    assertThat(judge(table(), "h1").granted()).isFalse();
  }

  @Test
  void theRateCountsWhatWasTakenWhatIsHeldAndWhatVanishedSince() {
    rules("[{maxUnavailable: 3}, {disruptionRate: {max: 2, per: 1h}}]");
    openedAgo("g1", "h1", "50 minutes");
    LockTable others = table(hold("g2", "h2"));
    assertThat(judge(table(), "h3").granted()).isTrue();
    assertThat(judge(others, "h3").reason())
        .contains("allows 2 of 3 in 1h; 1 were taken down, 1 are about to be, this takes 1");
    openedAgo("g2", "h2", "2 hours");
    assertThat(judge(others, "h3").granted()).as("down since long ago").isTrue();

    rows.execute("UPDATE instances SET vanished_at = clock_timestamp() WHERE host = 'h1'");
    rows.instance("web", "h4", rows.report("static"));
    openedAgo("g3", "h4", "5 minutes");
    assertThat(judge(table(), "h3").reason())
        .as("what was moved away was taken down")
        .contains("2 were taken down");
  }

  @Test
  void whoRepairsWhatIsDownByItselfUsesUpNoRate() {
    rules("[{maxUnavailable: 3}, {disruptionRate: {max: 1, per: 1h}}]");
    rows.grant("g1", "h1");
    rows.downFor("h1", "0 s");
    rows.opened("g1");
    assertThat(judge(table(hold("g1", "h1")), "h2").granted()).as("a batch").isTrue();

    rows.downFor("h3", "2 minutes");
    rows.told("Granted", "t1", "Session", "h3");
    LockTable maintained = table(fleetLock("t1", "h3"));
    assertThat(judge(maintained, "h2").granted()).as("maintenance by hand").isTrue();
    rows.execute("UPDATE instances SET health = 'Healthy'");
    assertThat(judge(maintained, "h2").granted()).as("it may do so all the time").isTrue();

    rows.told("Granted", "t2", "Session", "h1");
    assertThat(judge(table(), "h2").reason()).contains("1 were taken down");
  }

  @Test
  void whatIsNotSurelyDownByItselfUsesUpTheRate() {
    rules("[{maxUnavailable: 3}, {disruptionRate: {max: 1, per: 1h}}]");
    rows.downFor("h1", "30 seconds");
    takesDown("t1", "clocks of servers may differ as much");

    rows.downFor("h1", "10 minutes");
    rows.execute("UPDATE instances SET observed_at = observed_at - interval '5 minutes'");
    takesDown("t2", "it was not looked at for long");

    rows.downFor("h1", "10 minutes");
    rows.told("Ended", "t2", "Session", "h1");
    takesDown("t3", "its last holder may have left it down");
    rows.execute("UPDATE instances SET observed_at = clock_timestamp()");
    rows.told("Ended", "t3", "Session", "h1");
    rows.execute("UPDATE instances SET observed_at = clock_timestamp()");
    takesDown("t4", "it is seen down since a moment only");

    rows.downFor("h1", "10 minutes");
    rows.told("Gap", "", "", "h9");
    takesDown("t5", "nobody knows who held it");

    rows.downFor("h1", "10 minutes");
    rows.told("Granted", "t6", "Session", "h1");
    assertThat(judge(table(), "h2").granted()).as("the control").isTrue();
  }

  private void takesDown(String lock, String why) {
    rows.told("Granted", lock, "Session", "h1");
    assertThat(judge(table(), "h2").reason()).as(why).contains("1 were taken down");
    rows.execute("DELETE FROM disruptions");
  }

  @Test
  void aWindowIsJudgedByTheClockOfTheDatabase() {
    OffsetDateTime now = OffsetDateTime.now(ZoneOffset.UTC);
    String always = "{timezone: UTC, from: '00:00', to: '24:00'}";
    rules("[{maxUnavailable: 3}]\n  windows: [" + always + "]");
    assertThat(judge(table(), "h1").granted()).isTrue();
    rules(
        "[{maxUnavailable: 3}]\n  windows: [%s]\n  blackouts: [{from: %s, to: %s, reason: sale}]"
            .formatted(always, now.minusDays(1).toLocalDate(), now.plusDays(1).toLocalDate()));
    Verdict verdict = judge(table(), "h1");
    assertThat(verdict.decision()).isEqualTo(Decision.WAIT);
    assertThat(verdict.reason()).contains("blackout until", "(sale); next at");
    assertThat(
            analyzer
                .admission()
                .begin(table())
                .judgeOnceOthersEnd(List.of("h1"), List.of(), List.of(), List.of())
                .granted())
        .as("nobody waits behind who waits for a window")
        .isFalse();
  }

  @Test
  void onlyWhatABatchHoldsIsBegunAndNeedNotEndInTime() {
    LocalDateTime soon =
        LocalDateTime.now(ZoneOffset.UTC).plusMinutes(30).withSecond(0).withNano(0);
    rules(
        "[{maxUnavailable: 3}]\n  expectedDuration: 1h\n  blackouts: [{from: '%s', to: '%s', reason: sale}]"
            .formatted(soon, soon.plusHours(2)));
    assertThat(judge(table(), "h1").reason()).contains("had to begin by");
    assertThat(judge(table(session("t1", "h1")), "h1").granted()).isFalse();
    assertThat(judge(table(hold("g1", "h1")), "h1").granted()).isTrue();
  }

  @Test
  void aGateIsAskedOfPrometheusAndHoldsOnWhateverIsNoYes() {
    rules("[{maxUnavailable: 3}]\n  health: {gates: [{promql: 'avg(up) > 0.9', for: 1m}]}");
    assertThat(judge(table(), "h1").reason()).contains("knows no Prometheus: set prometheus.url");
    try (SmallPrometheus prometheus = new SmallPrometheus()) {
      gateAnswers(prometheus, new Answer(502, "<html>"), "is unknown: Prometheus answered 502");
      gateAnswers(prometheus, new Answer(200, matrix("")), "for 1m (policy web version 1) is not");
      prometheus.says(query -> new Answer(200, matrix(series(query, "1"))));
      try (ImpactAnalyzer asking = asking(prometheus)) {
        await(() -> judged(asking, "h1").granted());
      }
    }
  }

  private ImpactAnalyzer asking(SmallPrometheus prometheus) {
    return new ImpactAnalyzer(
        store.database(),
        () -> {},
        new ImpactAnalyzer.Settings(
            Rows.SETTINGS.staleness(), Optional.of(prometheus.address()), Integer.MAX_VALUE));
  }

  private void gateAnswers(SmallPrometheus prometheus, Answer answer, String reason) {
    prometheus.says(_ -> answer);
    try (ImpactAnalyzer asking = asking(prometheus)) {
      assertThat(judged(asking, "h1").reason()).contains("monitoring was not asked yet");
      await(() -> judged(asking, "h1").reason().contains(reason));
      assertThat(judged(asking, "h1").decision()).isEqualTo(Decision.WAIT);
    }
  }

  private static Verdict judged(ImpactAnalyzer analyzer, String host) {
    return analyzer.admission().begin(table()).judge(List.of(host), List.of(), List.of());
  }

  private static void await(BooleanSupplier done) {
    long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    while (!done.getAsBoolean()) {
      assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
      LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    }
  }

  @Test
  void whatCouldNeverBeGrantedIsToldBeforeAnybodyWaits() {
    rules("[{minAvailable: 3}]");
    assertThat(analyzer.plan(List.of("h1", "h9")).infeasible())
        .containsOnlyKeys("h1")
        .extractingByKey("h1")
        .asString()
        .contains(
            "application web: minAvailable 3 (policy web version 1) too many even with all up");
    Map<String, List<String>> submitting =
        store.jdbi().inTransaction(_ -> analyzer.plan(List.of("h1")).infeasible());
    assertThat(submitting).as("within the transaction of a submission").containsOnlyKeys("h1");
    rules("[{minAvailable: 2}]");
    rows.execute("UPDATE instances SET health = 'Unhealthy'");
    assertThat(analyzer.plan(List.of("h1")).infeasible()).isEmpty();
  }
}
