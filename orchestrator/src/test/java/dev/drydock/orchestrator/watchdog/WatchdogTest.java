package dev.drydock.orchestrator.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.DecisionOption;
import dev.drydock.api.HostDecision;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.RepairLimits;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.remediation.RepairSlots;
import dev.drydock.orchestrator.store.BatchAdvancer;
import dev.drydock.orchestrator.store.HostDecisions;
import dev.drydock.orchestrator.testkit.BatchSteps;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.HookBench;
import dev.drydock.orchestrator.testkit.Row;
import dev.drydock.orchestrator.testkit.TestDatabase;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.PageRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Looks at real rows; time passes by moving them back. */
@Tag("stack")
class WatchdogTest {
  private static final String REACHABLE =
      "{\"diagnosis.reachable\": \"true\", \"diagnosis.signature\": \"odd\"}";

  private final Map<String, Duration> timeouts = new HashMap<>();
  private TestDatabase database;
  private Fleet fleet;
  private BatchSteps steps;
  private Watchdog watchdog;

  @BeforeEach
  void start() {
    database = new TestDatabase();
    withLimits(Fleet.limits());
    watchdog = watchdog();
    fleet.execute(
        """
        INSERT INTO policies (name, version, team, yaml, created_by) VALUES ('web', 1, 'web-team', '', 'test');
        INSERT INTO policy_applications VALUES ('web', 'web');
        """);
  }

  private void withLimits(RepairLimits limits) {
    fleet = new Fleet(database.jdbi(), mover -> BatchAdvancer.NOTHING, limits);
    steps = new BatchSteps(fleet);
  }

  private Watchdog watchdog() {
    return watchdog(Fleet.limits().atOnce());
  }

  private Watchdog watchdog(int repairsAtOnce) {
    return new Watchdog(
        database.jdbi(),
        (phase, applications) -> Optional.ofNullable(timeouts.get(phase)),
        Duration.ofSeconds(15),
        new RepairSlots(database.jdbi(), repairsAtOnce));
  }

  @AfterEach
  void stop() {
    database.close();
  }

  /** A host whose Cordon is published, claimed so long ago. */
  private String cordoned(String host, int minutes) {
    String grant = fleet.granted(host);
    steps.reach(grant, Step.CORDON);
    fleet.workAsIf.claimed(fleet.rows.jobs(grant), minutes);
    return grant;
  }

  private int told(String kind) {
    return fleet.rows.told(kind).size();
  }

  private String reason(String host) {
    return fleet.rows.host(host).reason();
  }

  @Test
  void whatIsPastItsTimeIsToldOnceAndShownUntilItGoesOn() {
    timeouts.put("Cordon", Duration.ofMinutes(5));
    String grant = cordoned("h01", 7);
    cordoned("h02", 4);
    watchdog.look();
    watchdog.look();
    watchdog().look();
    assertThat(told("PhaseOverdue")).isEqualTo(1);
    assertThat(fleet.value("SELECT owners FROM events WHERE kind = 'PhaseOverdue'"))
        .isEqualTo("{\"web-team\": [\"web\"]}");
    assertThat(reason("h01"))
        .matches(
            "Cordon takes 7 min, a policy allows 5 min; job "
                + grant
                + "\\.Cordon\\.h01\\.1 is claimed by ada, last heard of \\d+ s ago; no other host"
                + " waits for its budget");
    assertThat(reason("h02")).isEmpty();
    HostDecision why =
        new HostDecisions(database.jdbi())
            .until("h01", Instant.now().plusSeconds(9), new PageRequest(0, 1), FieldMask.all())
            .elements()
            .getFirst();
    assertThat(why.getDecision()).isEqualTo("Overdue");
    assertThat(why.getReason()).isEqualTo(reason("h01"));

    fleet.workAsIf.ended(fleet.rows.jobs(), JobStatus.DONE);
    watchdog.look();
    watchdog.look();
    assertThat(told("PhaseGoesOn")).isEqualTo(1);
    assertThat(reason("h01")).isEmpty();
    assertThat(fleet.rows.overdue()).singleElement().matches(Row.Overdue::over);
  }

  /** The control: were what was told not kept, every look would tell it. */
  @Test
  void withoutItsRowEveryLookWouldTell() {
    timeouts.put("Cordon", Duration.ofMinutes(5));
    cordoned("h01", 7);
    watchdog.look();
    fleet.workAsIf.overdueForgotten();
    watchdog.look();
    assertThat(told("PhaseOverdue")).isEqualTo(2);
  }

  @Test
  void anotherRoundThatTakesTooLongIsToldAgain() {
    timeouts.put("Cordon", Duration.ofMinutes(5));
    String grant = cordoned("h01", 7);
    watchdog.look();
    fleet.workAsIf.ended(fleet.rows.jobs(), JobStatus.DONE);
    watchdog.look();
    fleet.workAsIf.publishedAgain(fleet.rows.jobs(grant).getFirst(), 2);
    watchdog.look();
    assertThat(told("PhaseOverdue")).isEqualTo(2);
    assertThat(fleet.rows.overdue()).hasSize(1);
  }

  @Test
  void whatFailsIsNotCalledGoingOn() {
    timeouts.put("Cordon", Duration.ofMinutes(5));
    cordoned("h01", 7);
    watchdog.look();
    fleet.workAsIf.ended(fleet.rows.jobs(), JobStatus.FAILED);
    watchdog.look();
    assertThat(told("PhaseGoesOn")).isEqualTo(0);
  }

  /** Upgraded hosts of a class, each of whose Cordon took so many seconds. */
  private void finished(String hardwareClass, int hosts, int seconds) {
    IntStream.range(0, hosts)
        .forEach(
            host -> {
              String name = hardwareClass + host;
              String grant = cordoned(name, 60);
              classOf(name, hardwareClass);
              fleet.workAsIf.took(fleet.rows.jobs(grant), seconds);
              fleet.asIf.ended(HostUpgradeState.Upgraded, name);
              fleet.asIf.batchEnded(grant, HostUpgradeState.Upgraded);
            });
  }

  private void classOf(String host, String hardwareClass) {
    fleet.execute(
        "UPDATE hosts SET hardware_class = '%s' WHERE name = '%s'".formatted(hardwareClass, host));
  }

  @Test
  void whatIsFarPastItsCohortIsToldAndOthersAreMeasuredByTheirOwn() {
    finished("quick", 10, 60);
    finished("slow", 10, 300);
    finished("rare", 9, 60);
    for (String host : new String[] {"quick", "slow", "rare"}) {
      cordoned(host + "-now", 4);
      classOf(host + "-now", host);
    }
    cordoned("quick-soon", 2);
    classOf("quick-soon", "quick");
    watchdog.look();
    assertThat(fleet.rows.overdue()).extracting(Row.Overdue::host).containsExactly("quick-now");
    assertThat(reason("quick-now"))
        .startsWith(
            "Cordon takes 4 min, 95 of 100 like it took no longer than 60 s (10 hosts of class"
                + " quick to release 2); ");
  }

  @Test
  void whatNobodyClaimsIsToldUnlessSomebodyClaimedOfItsTopic() {
    String grant = fleet.granted("h01");
    steps.reach(grant, Step.CORDON);
    passes(3);
    String waiting = fleet.rows.waiting(grant).getFirst().id();
    fleet.execute(
        "INSERT INTO events (kind, data) VALUES ('JobClaimed', '{\"job\": \"" + waiting + "\"}')");
    watchdog.look();
    assertThat(told("PhaseOverdue")).as("its consumer is busy").isEqualTo(0);
    fleet.execute("UPDATE events SET at = at - interval '3 min' WHERE kind = 'JobClaimed'");
    watchdog.look();
    assertThat(fleet.rows.told("PhaseOverdue"))
        .singleElement()
        .extracting(overdue -> overdue.data().get("cause"))
        .isEqualTo("Unclaimed");
    assertThat(reason("h01")).contains("nobody has begun it; no consumer of scheduler/static has");
  }

  /** In recovery mode hosts are read, and nothing else is given out. */
  @Test
  void nobodyIsWaitedForWhoMayNotClaim() {
    String grant = fleet.granted("h01");
    steps.reach(grant, Step.HEALTH);
    passes(3);
    fleet.execute("INSERT INTO recoveries (behind, reason, epoch) VALUES ('etcd', 'test', 2)");
    watchdog.look();
    assertThat(told("PhaseOverdue")).isEqualTo(0);

    fleet.workAsIf.readsInstead(fleet.rows.waiting(grant).getFirst().id());
    watchdog.look();
    assertThat(told("PhaseOverdue")).as("the control: who reads hosts may").isEqualTo(1);
  }

  @Test
  void whoMayClaimAgainHasAMomentToDoSo() {
    timeouts.put("Health", Duration.ofMinutes(5));
    String grant = fleet.granted("h01");
    steps.reach(grant, Step.HEALTH);
    passes(60);
    fleet.execute(
        "INSERT INTO recoveries (behind, reason, epoch, ended_at)"
            + " VALUES ('etcd', 'test', 2, clock_timestamp())");
    watchdog.look();
    assertThat(told("PhaseOverdue")).isEqualTo(0);

    fleet.execute("UPDATE recoveries SET ended_at = ended_at - interval '3 min'");
    watchdog.look();
    assertThat(reason("h01"))
        .as("the control")
        .startsWith("Health takes 3 min, nobody has begun it");
  }

  @Test
  void aBatchThatNobodyLeadsOnIsTold() {
    String grant = cordoned("h01", 7);
    fleet.workAsIf.ended(fleet.rows.jobs(), JobStatus.DONE);
    passes(3);
    watchdog.look();
    assertThat(reason("h01"))
        .startsWith("Cordon takes 3 min, nothing follows it; nothing of grant " + grant);
    fleet.drive(grant);
    watchdog.look();
    assertThat(told("PhaseGoesOn")).isEqualTo(1);
  }

  /** The step failed on the only host of the batch; answers its grant. */
  private String failed(String host, Step step) {
    String grant = fleet.granted(host);
    steps.reach(grant, step);
    steps.end(grant, JobStatus.FAILED);
    fleet.drive(grant);
    return grant;
  }

  private void passes(int minutes) {
    fleet.workAsIf.nothingHappensFor(minutes);
  }

  private List<String> notLed() {
    return fleet.rows.overdue().stream()
        .filter(phase -> phase.cause().equals("NotLed"))
        .map(Row.Overdue::host)
        .toList();
  }

  @Test
  void aBlockedBatchIsLedForAsLongAsPeopleDoNotAnswer() {
    fleet.onHostFailure = OnHostFailure.ASK;
    String question = failed("h01", Step.CORDON) + ".1";
    passes(9);
    watchdog.look();
    assertThat(told("PhaseOverdue")).isEqualTo(0);
    assertThat(reason("h01")).endsWith("; drydock decision answer " + question);

    fleet.decisions.answer(HookBench.ANYBODY, question, DecisionOption.Retry, "");
    watchdog.look();
    assertThat(told("PhaseOverdue")).as("it has a moment to go on").isEqualTo(0);
    passes(3);
    watchdog.look();
    assertThat(notLed()).as("nobody took the answer").containsExactly("h01");
  }

  @Test
  void aQuestionThatIsOverHidesNobody() {
    fleet.onHostFailure = OnHostFailure.ASK;
    String grant = failed("h01", Step.CORDON);
    fleet.asIf.goesBack(grant, HostUpgradeState.Reverted, "aborted");
    passes(3);
    watchdog.look();
    assertThat(notLed()).containsExactly("h01");
  }

  @Test
  void aBatchWaitsForAsLongAsNobodyApprovesARepair() {
    fleet.ladder = new Ladder(List.of(Rung.CLEAN_DISK), Set.of(Rung.CLEAN_DISK));
    diagnosed(failed("h01", Step.UPDATE));
    passes(9);
    watchdog.look();
    assertThat(told("PhaseOverdue")).isEqualTo(0);
    assertThat(reason("h01")).contains("CleanDisk waits for approval");

    fleet.decisions.answer(
        HookBench.ANYBODY, fleet.rows.decisions().getFirst().id(), DecisionOption.Approve, "");
    watchdog.look();
    assertThat(told("PhaseOverdue")).as("it has a moment to go on").isEqualTo(0);
    passes(3);
    watchdog.look();
    assertThat(notLed()).as("nobody took the answer").containsExactly("h01");
  }

  /** Diagnosed: what is next on the ladder is done, asked for, or waits for its turn. */
  private void diagnosed(String grant) {
    steps.end(grant, JobStatus.DONE, REACHABLE);
    fleet.drive(grant);
  }

  @Test
  void aBatchWaitsUntilItIsItsTurnToBeMended() {
    withLimits(new RepairLimits(1, 3, Duration.ofHours(1)));
    fleet.ladder = new Ladder(List.of(Rung.CLEAN_DISK));
    String first = failed("h01", Step.UPDATE);
    diagnosed(first);
    diagnosed(failed("h02", Step.UPDATE));
    passes(9);
    watchdog(1).look();
    assertThat(notLed()).isEmpty();
    assertThat(reason("h02")).endsWith("CleanDisk waits, 1 hosts are being mended");

    steps.end(first, JobStatus.DONE);
    watchdog(1).look();
    assertThat(notLed()).as("it has a moment to go on").isEmpty();
    passes(3);
    watchdog(1).look();
    assertThat(notLed()).as("nobody leads either").containsExactly("h01", "h02");
  }

  /** The control: where more may be mended at once, nobody waits for a turn. */
  @Test
  void whoNeedNotWaitForATurnIsTold() {
    fleet.ladder = new Ladder(List.of(Rung.CLEAN_DISK));
    steps.end(failed("h01", Step.UPDATE), JobStatus.DONE, REACHABLE);
    passes(3);
    watchdog.look();
    assertThat(notLed()).containsExactly("h01");
  }

  @Test
  void saysWhoCannotBeginBecauseOfIt() {
    timeouts.put("Cordon", Duration.ofMinutes(5));
    cordoned("h01", 7);
    fleet.host("p1");
    fleet.host("p2");
    fleet.host("p3");
    fleet.rollout("r2", "p1", "p2", "p3");
    waits(
        "p1",
        "application web: maxUnavailable 1 (policy web version 1) needs 3 of 4 up; 3 up, this takes"
            + " 1; not up: web@h01 (its host is locked)");
    waits("p2", "application web: windows 09:00 (policy web version 1) closed; next at noon");
    waits(
        "p3",
        "application ads: maxUnavailable 1 (policy ads version 1) needs 1 of 1 up; 0 up, this takes"
            + " 1; not up: ads@x (unhealthy)");
    watchdog.look();
    assertThat(reason("h01")).endsWith("; 1 other host waits for budget it holds: web 1");
    assertThat(fleet.rows.told("PhaseOverdue"))
        .singleElement()
        .extracting(overdue -> overdue.data().get("cost"))
        .hasToString("{web=1}");
  }

  private void waits(String host, String reason) {
    fleet.asIf.reason(host, reason);
  }
}
