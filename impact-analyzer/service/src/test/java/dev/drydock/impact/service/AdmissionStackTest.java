package dev.drydock.impact.service;

import static dev.drydock.impact.service.Rows.fleetLock;
import static dev.drydock.impact.service.Rows.hold;
import static dev.drydock.impact.service.Rows.policy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.DrainTerms;
import dev.drydock.impact.core.LateDrain;
import dev.drydock.impact.core.LateDrain.Way;
import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Verdict;
import dev.drydock.lock.core.Verdict.Decision;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.testkit.TestDatabase;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** The admission on rows as reports leave them. */
@Tag("stack")
@TestInstance(Lifecycle.PER_CLASS)
class AdmissionStackTest {
  private static final LockTable FREE = new LockTable(1, Map.of(), List.of(), Map.of(), Set.of());

  private final TestDatabase store = TestDatabase.create();
  private final Rows rows = new Rows(store.jdbi());
  private final PolicyStore policies = new PolicyStore(store.jdbi(), () -> {});
  private final ImpactAnalyzer analyzer =
      new ImpactAnalyzer(store.database(), () -> {}, Rows.SETTINGS);

  @AfterAll
  void close() {
    analyzer.close();
    store.close();
  }

  @BeforeEach
  void threeHostsOfWebWithABudgetOfOne() {
    rows.empty();
    long mark = rows.report("static");
    rows.instance("web", "h1", mark);
    rows.instance("web", "h2", mark);
    rows.instance("web", "h3", mark);
    rows.host("h4");
    apply(policy("web", "web", "[web]", "[{maxUnavailable: 1}]"));
  }

  private void apply(String yaml) {
    policies.apply(Principal.server(), yaml);
  }

  private Verdict judge(LockTable table, String host, LockRecord... held) {
    return analyzer.admission().begin(table).judge(List.of(host), List.of(), List.of(held));
  }

  @Test
  void capacityIsWhatInstancesReport() {
    rows.execute("UPDATE instances SET capacity = 32 WHERE host = 'h1'");
    rows.execute("UPDATE instances SET capacity = 8 WHERE host <> 'h1'");
    apply(policy("web", "web", "[web]", "[{minAvailable: {capacity: 32}}]"));
    assertThat(judge(FREE, "h2").granted()).isTrue();
    Verdict large = judge(FREE, "h1");
    assertThat(large.decision()).isEqualTo(Decision.REFUSE);
    assertThat(large.reason()).contains("needs 32 of 48 units up; 48 units up, this takes 32");
  }

  @Test
  void aForeignTryRightAfterAGrantOfABudgetOfOneIsHeldWithTheReason() {
    Admission.Round round = analyzer.admission().begin(FREE);
    assertThat(round.judge(List.of("h1"), List.of(), List.of()).granted()).isTrue();
    Verdict foreign = round.judge(List.of("h2"), List.of(), List.of(hold("g1", "h1")));
    assertThat(foreign.decision()).isEqualTo(Decision.WAIT);
    assertThat(foreign.reason())
        .isEqualTo(
            "application web: maxUnavailable 1 (policy web version 1) needs 2 of 3 up; 2 up, this"
                + " takes 1; not up: web@h1 (its host is locked)");
    assertThat(foreign.findings())
        .containsExactly(
            new Verdict.Finding("web", "maxUnavailable 1", 3, 2, 1, 2, false, foreign.reason()));
    assertThat(judge(FREE, "h4", hold("g1", "h1")).granted()).as("an empty host").isTrue();
  }

  @Test
  void anObservationFromBeforeTheEndOfALockDoesNotFreeItsBudget() {
    long ended = rows.report("static");
    LockTable table =
        new LockTable(
            9,
            Map.of(),
            List.of(),
            Map.of("h1", new EndedLock("h1", "g1", ended, "batch g1", "done")),
            Set.of());
    assertThat(judge(table, "h2").reason())
        .contains("web@h1 (not observed since the last work on its host)");
    rows.execute("UPDATE instances SET mark = " + ended + " WHERE host = 'h1'");
    assertThat(judge(table, "h2").granted()).isTrue();
    rows.execute("UPDATE hosts SET effect_mark = " + (ended + 1) + " WHERE name = 'h1'");
    assertThat(judge(table, "h2").granted()).as("an effect of our own counts as well").isFalse();
  }

  @Test
  void whoRepairsWhatIsBrokenTakesNothingUnlikeWhoComesRightAfterOtherWork() {
    rows.execute("UPDATE instances SET health = 'Unhealthy' WHERE host = 'h1'");
    assertThat(onceOthersEnd("h1").takesNothing()).isTrue();
    assertThat(onceOthersEnd("h2").takesNothing()).isFalse();
    assertThat(onceOthersEnd("h4").takesNothing()).as("there is nothing to look at").isFalse();

    rows.execute("UPDATE hosts SET effect_mark = 1000000 WHERE name = 'h1'");
    assertThat(onceOthersEnd("h1").takesNothing()).as("it is about to come back").isFalse();
    assertThat(judge(FREE, "h1").takesNothing()).as("it is down now").isTrue();
  }

  @Test
  void aReportFromBeforeTheClockWasSetBackIsOldHoweverYoungItLooks() {
    rows.execute("UPDATE board_looks SET at = clock_timestamp() + interval '600 s'");
    assertThat(judge(FREE, "h1").reason()).contains("clock of the database was set back");
    rows.execute("UPDATE board_looks SET at = clock_timestamp()");
    rows.execute("INSERT INTO clock_set_backs (seen) VALUES (clock_timestamp())");
    assertThat(judge(FREE, "h1").reason())
        .as("also when it has come as far again")
        .contains("source static has not reported since the clock of the database was set back");
    rows.report("static");
    assertThat(judge(FREE, "h1").granted()).isTrue();
  }

  private Verdict onceOthersEnd(String host) {
    return analyzer
        .admission()
        .begin(FREE)
        .judgeOnceOthersEnd(List.of(host), List.of(), List.of(), List.of());
  }

  @Test
  void aSilentSourceIsHeldAndNamed() {
    rows.execute("UPDATE marks SET issued_at = issued_at - interval '31 seconds'");
    Verdict verdict = judge(FREE, "h1");
    assertThat(verdict.decision()).isEqualTo(Decision.WAIT);
    assertThat(verdict.reason())
        .containsPattern("source static has not reported for [0-9]+ s, bound 30 s");
  }

  @Test
  void oneTeamsUnreadablePolicyStopsOnlyItsOwnApplications() {
    rows.instance("ads", "h4", rows.report("static"));
    apply(policy("ads", "ads", "[ads]", "[{maxUnavailable: 1}]"));
    assertThat(judge(FREE, "h4").granted()).isTrue();
    rows.execute(
        "UPDATE policies SET yaml = 'written: by a newer version', version = 2 WHERE name = 'ads'");
    Verdict broken = judge(FREE, "h4");
    assertThat(broken.decision()).isEqualTo(Decision.WAIT);
    assertThat(broken.reason())
        .contains("the policy of application ads cannot be read: policy ads version 2, line 1");
    assertThat(judge(FREE, "h1").granted()).isTrue();
    assertThat(checks("web", "none")).isEmpty();
    assertThat(checks("web", "ads")).containsExactly("readable-policy-ads");
  }

  private Collection<String> checks(String... applications) {
    return store
        .jdbi()
        .withHandle(handle -> analyzer.policies().in(handle).healthChecks(Set.of(applications)));
  }

  @Test
  void hostsWithApplicationsWithoutPolicyAreRefusedAndListed() {
    rows.instance("cache", "h2", rows.report("static"));
    rows.instance("batch", "h2", rows.report("static"));
    Verdict verdict = judge(FREE, "h2");
    assertThat(verdict.decision()).isEqualTo(Decision.REFUSE);
    assertThat(verdict.reason())
        .contains("application batch has no policy", "application cache has no policy");
    assertThat(analyzer.policies().applicationsWithoutPolicy(List.of("h1", "h2", "h4")))
        .hasToString("{h2=[batch, cache]}");
  }

  @Test
  void aModeThatOnePolicyOfAHostForbidsIsForbiddenThere() {
    assertThat(analyzer.policies().forbidding(List.of("h1", "h2", "h4"), "Reimage")).isEmpty();
    rows.instance("cache", "h2", rows.report("static"));
    apply(policy("cache", "web", "[cache]", "[{minAvailable: 0}]\n  modes: [PackageUpdate]"));
    assertThat(analyzer.policies().forbidding(List.of("h1", "h2", "h4"), "Reimage"))
        .hasToString("{h2=[cache]}");
    assertThat(analyzer.policies().forbidding(List.of("h1", "h2", "h4"), "PackageUpdate"))
        .isEmpty();
    apply(policy("cache", "web", "[cache]", "[{minAvailable: 0}]"));
    assertThat(analyzer.policies().forbidding(List.of("h2"), "Reimage")).isEmpty();
  }

  @Test
  void theLongestDrainTimeoutDecides() {
    apply(policy("slow", "web", "[slow]", "[{minAvailable: 0}]\n  drain: {timeout: 2h}"));
    apply(policy("fast", "web", "[fast]", "[{minAvailable: 0}]\n  drain: {timeout: 30s}"));
    assertThat(drain("fast").timeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(drain("fast", "slow").timeout()).isEqualTo(Duration.ofHours(2));
    assertThat(drain("fast", "slow").timeoutOf()).containsExactly("slow");
    assertThat(drain().timeout()).isEqualTo(Duration.ofMinutes(5));
    rows.instance("fast", "h4", rows.report("static"));
    rows.instance("slow", "h4", rows.report("static"));
    String then = ", then brought back (polic%s without onTimeout)";
    assertThat(analyzer.plan(List.of("h1", "h2", "h4")).facts().drains())
        .isEqualTo(
            Map.of(
                "drain: up to 5m (policy web)" + then.formatted("y web"), 2,
                "drain: up to 2h (policy slow)" + then.formatted("ies fast, slow"), 1));
  }

  private DrainTerms drain(String... applications) {
    return analyzer.policies().now().drain(Set.of(applications));
  }

  @Test
  void theMostCarefulTeamSaysWhatBecomesOfAHostThatIsNotDrained() {
    apply(policy("eager", "web", "[eager]", "[{minAvailable: 0}]\n  drain: {onTimeout: Force}"));
    apply(policy("shy", "web", "[shy]", "[{minAvailable: 0}]\n  drain: {onTimeout: Ask}"));
    assertThat(drain("eager").late().way()).isEqualTo(Way.FORCE);
    assertThat(drain("eager", "shy").late().way()).isEqualTo(Way.ASK);
    assertThat(drain("eager", "unheard-of").late())
        .as("who says nothing has not agreed to force")
        .isEqualTo(LateDrain.UNSAID);
  }

  @Test
  void aLapsedLockGoesOnceItsHostWasSeenHealthyAgain() {
    long lapsed = rows.report("static");
    assertThat(analyzer.admission().begin(FREE).healthySince("h1", lapsed)).isFalse();
    rows.execute("UPDATE instances SET mark = " + lapsed);
    assertThat(analyzer.admission().begin(FREE).healthySince("h1", lapsed)).isTrue();
  }

  @Test
  void aFleetLockHoldIsOverOnceItsHostWasStartedAnewAndSeenHealthy() {
    LockTable table =
        new LockTable(9, Map.of("h1", fleetLock("fl-1", "h1")), List.of(), Map.of(), Set.of());
    seen("first", 3, 0);
    rows.execute("INSERT INTO fleetlock_boots VALUES ('h1', 'fl-1', 'first', 5, true)");
    assertThat(verified(table, "h1")).as("healthy, and never restarted").isFalse();
    assertThat(verified(table, "h2")).as("nobody asked to restart it").isTrue();

    seen("second", 6, 4);
    assertThat(verified(table, "h1")).isTrue();
    rows.execute("UPDATE instances SET health = 'Unhealthy' WHERE host = 'h1'");
    assertThat(verified(table, "h1")).as("restarted, and not well").isFalse();
  }

  @Test
  void aHostIsNotStartedAnewByAnObservationFromBeforeItsClientAsked() {
    LockTable table =
        new LockTable(9, Map.of("h1", fleetLock("fl-1", "h1")), List.of(), Map.of(), Set.of());
    rows.execute("INSERT INTO fleetlock_boots VALUES ('h1', 'fl-1', 'first', 5, true)");
    seen("second", 5, 3);
    assertThat(verified(table, "h1")).as("the report was under way then").isFalse();
    seen("third", 7, 6);
    assertThat(verified(table, "h1")).isTrue();

    rows.execute("UPDATE fleetlock_boots SET told = false");
    seen("second", 6, 3);
    assertThat(verified(table, "h1")).as("it was down, perhaps starting, when asked").isFalse();
    seen("third", 7, 6);
    assertThat(verified(table, "h1")).as("both were seen since").isTrue();
  }

  /** The boot id of all hosts, the first report of it, and the newest of the one before. */
  private void seen(String bootId, long first, long before) {
    rows.execute(
        "UPDATE hosts SET boot_id = '%s', boot_first = %d, boot_before = %d"
            .formatted(bootId, first, before));
  }

  @Test
  void whereNoBootIdIsObservedOrItIsOfAnotherTicketHealthAloneIsJudged() {
    LockTable table =
        new LockTable(9, Map.of("h1", fleetLock("fl-2", "h1")), List.of(), Map.of(), Set.of());
    rows.execute("INSERT INTO fleetlock_boots VALUES ('h1', 'fl-2', NULL)");
    assertThat(verified(table, "h1")).isTrue();
    rows.execute("UPDATE hosts SET boot_id = 'first'");
    rows.execute("UPDATE fleetlock_boots SET boot_id = 'first', ticket = 'fl-1'");
    assertThat(verified(table, "h1")).isTrue();
  }

  private boolean verified(LockTable table, String host) {
    return analyzer.admission().begin(table).healthySince(host, 0);
  }

  @Test
  void aPlanTellsWhoGoesFirstAndTheFactsItWasMadeBy() {
    apply(policy("web", "web", "[web]", "[{maxUnavailable: 1}]\n  canary: {hosts: 1, soak: 30m}"));
    PlannedHosts planned = analyzer.plan(List.of("h1", "h2", "h3", "h4"));
    assertThat(planned.canaries()).hasSize(1);
    assertThat(planned.canaries().getFirst().canaries()).hasSize(1);
    assertThat(planned.canaries().getFirst().waiting()).hasSize(2).doesNotContain("h4");
    assertThat(planned.facts().policies()).containsEntry("web", 2).hasSize(1);
    assertThat(planned.facts().placement())
        .containsEntry("h1", List.of("web@h1 (web, zone z)"))
        .containsEntry("h4", List.of());
    rows.execute("UPDATE instances SET host = 'h4' WHERE host = 'h3'");
    assertThat(analyzer.plan(List.of("h3")).facts().placement()).containsEntry("h3", List.of());
  }

  @Test
  void aPlanReckonsWithWhatWorkTookSoFar() {
    apply(policy("web", "web", "[web]", "[{maxUnavailable: 1}]"));
    assertThat(analyzer.plan(List.of("h1"), "2").durations())
        .containsExactly(Map.entry("1h, assumed: too few hosts were upgraded so far", 1));
    for (String host : List.of("h1", "h2", "h3")) {
      rows.upgraded("r" + host, host, "1", 4);
    }
    PlannedHosts any = analyzer.plan(List.of("h1"), "2");
    assertThat(any.durations()).containsExactly(Map.entry("4m, the median of 3 hosts with web", 1));
    assertThat(any.plan().makespanMillis()).isEqualTo(Duration.ofMinutes(4).toMillis());
    for (String host : List.of("h1", "h2", "h3")) {
      rows.upgraded("s" + host, host, "2", 6);
    }
    assertThat(analyzer.plan(List.of("h1"), "2").durations())
        .containsExactly(Map.entry("6m, the median of 3 hosts with web to release 2", 1));
    assertThat(analyzer.plan(List.of("h4"), "2").durations().firstKey())
        .contains("the median of 6 hosts of any kind");
  }

  @Test
  void canariesAreWatchedByWhatIsUpOfTheirApplicationsAlone() {
    rows.instance("ads", "h1", rows.report("static"));
    rows.execute("UPDATE instances SET health = 'Unhealthy' WHERE host = 'h2'");
    rows.execute("UPDATE instances SET health = 'Unhealthy' WHERE application = 'ads'");
    assertThat(analyzer.notUp(FREE, List.of("h1", "h2"), Set.of("web")))
        .containsOnly(Map.entry("web@h2", "unhealthy"));
    LockTable locked =
        new LockTable(9, Map.of("h1", hold("g1", "h1")), List.of(), Map.of(), Set.of());
    assertThat(analyzer.notUp(locked, List.of("h1"), Set.of("web"))).containsOnlyKeys("web@h1");
    assertThat(analyzer.notUp(FREE, List.of("h4"), Set.of("web")))
        .as("nothing of it runs there")
        .isEmpty();
  }

  @Test
  void hostsOfAZoneAreOneBatchFromWhenTheirInstancesAreThere() {
    apply(
        policy(
            "web",
            "web",
            "[web]",
            "[{maxUnavailable: 3}]\n  batching: {by: faultZone, mode: AllOrNone}"));
    assertThat(analyzer.policies().now().zonesTogether()).containsExactly("web");
    rows.execute("UPDATE instances SET zone = 'y' WHERE host = 'h2'");
    assertThat(analyzer.batches(List.of("h2", "h1", "h3")))
        .containsExactly(List.of("h2"), List.of("h1", "h3"));
    rows.execute("UPDATE instances SET zone = 'y' WHERE host = 'h3'");
    assertThat(analyzer.batches(List.of("h2", "h1", "h3")))
        .containsExactly(List.of("h2", "h3"), List.of("h1"));
  }

  @Test
  void aRoundJudgesByWhatItReadAtItsBeginning() {
    Admission.Round round = analyzer.admission().begin(FREE);
    rows.execute("UPDATE instances SET health = 'Unhealthy' WHERE host = 'h3'");
    assertThat(round.judge(List.of("h1"), List.of(), List.of()).granted()).isTrue();
    assertThat(judge(FREE, "h1").granted()).isFalse();
  }
}
