package dev.drydock.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobStep;
import dev.drydock.api.RolloutState;
import dev.drydock.auditor.Auditor;
import dev.drydock.auditor.core.Finding;
import dev.drydock.auditor.core.Invariant;
import dev.drydock.auditor.core.InvariantVerdict;
import dev.drydock.proto.client.ClientConfig;
import dev.drydock.proto.client.DrydockClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * The auditor reads what a real server wrote of a rollout: a batch of two hosts, and two hosts one
 * after the other. Each test falsifies the logs in a transaction of its own, which is rolled back.
 */
@Tag("stack")
@TestInstance(Lifecycle.PER_CLASS)
final class AuditTest {
  private TestServer server;
  private DrydockClient client;
  private SmallSite site;
  private Jdbi database;
  private Auditor auditor;
  private String rollout;

  @BeforeAll
  void record(@TempDir Path folder) throws Exception {
    server = new TestServer(folder);
    server.startUntilReady();
    Path token = Files.writeString(folder.resolve("token"), TestServer.ADMIN_TOKEN);
    client = new DrydockClient(ClientConfig.of(server.address(""), token));
    database = server.database();
    auditor = new Auditor(database, Duration.ofMinutes(30), Duration.ofSeconds(30));
    site = new SmallSite(client);
    for (String host :
        List.of("web1", "web2", "cell1", "cell2", "feed1", "feed2", "mail1", "mail2")) {
      String application = host.substring(0, host.length() - 1);
      site.put(application + "@" + host, application, host, true);
    }
    for (int i = 1; i <= 7; i++) {
      site.put("odd@odd" + i, "odd", "odd" + i, true);
    }
    site.start();
    policy("web", "capacity: [{maxUnavailable: 1}]");
    policy("cell", "capacity: [{maxUnavailable: 2}], batching: {by: faultZone, mode: AllOrNone}");
    policy("odd", "capacity: [{maxUnavailable: 100%}]");
    policy("mail", "capacity: [{maxUnavailable: 1}]");
    policy("feed", "capacity: [{minAvailable: 1}]");
    rollout = site.rollout("web1", "web2", "cell1", "cell2");
    until("the rollout ended", () -> client.rollout(rollout).getState() == RolloutState.Succeeded);
    until("the ends of its locks are written down", () -> all(audit(""), InvariantVerdict.HELD));
  }

  @AfterAll
  void close() throws Exception {
    site.close();
    client.close();
    server.close();
  }

  private void policy(String application, String rules) {
    client.applyPolicy(
        """
        apiVersion: drydock.dev/v1
        kind: UpgradePolicy
        metadata: {name: %s, team: t}
        spec: {applications: [%s], %s}
        """
            .formatted(application, application, rules));
  }

  @Test
  void aCleanRunIsHeldByWhatWasJudged() {
    assertThat(audit(""))
        .allSatisfy(
            (invariant, finding) -> {
              assertThat(finding.verdict()).as(finding.toString()).isEqualTo(InvariantVerdict.HELD);
              assertThat(finding.judged()).as(finding.toString()).isPositive();
              assertThat(finding.breaches()).isEmpty();
            });
    assertThat(client.audit(rollout).getFindings()).hasSize(audit("").size());
  }

  /** Both instances are as if they had been so for an hour. */
  @Test
  void i1FindsAnAdmissionThatLeftTooFew() {
    finds(
        Invariant.I1,
        "0 of 2 would be left, 1 are required by maxUnavailable 1 (policy web version 1)",
        "UPDATE observations_kept SET since = since - interval '2 hours'",
        """
        WITH first AS (SELECT hosts[1] AS host, created_at FROM grants
                       WHERE hosts[1] LIKE 'web_' ORDER BY created_at LIMIT 1),
             forgotten AS (DELETE FROM observed_instances o USING first
                           WHERE o.application = 'web' AND o.at <= first.created_at RETURNING o.*)
        INSERT INTO observed_instances (at, instance, application, host, zone, capacity, health, vanished,
                                        source, mark, observed_at)
        SELECT DISTINCT ON (f.instance) f.at - interval '1 hour', f.instance, f.application, f.host, f.zone, f.capacity,
               CASE WHEN f.host = first.host THEN 'Healthy' ELSE 'Unhealthy' END, false,
               f.source, f.mark, f.observed_at - interval '1 hour'
        FROM forgotten f, first
        """);
  }

  /** The same of what was told only moments before: nobody had to know it. */
  @Test
  void i1IsNotViolatedByWhatNobodyHadToKnow() {
    Map<Invariant, Finding> found =
        audit(
            """
            INSERT INTO observed_instances (at, instance, application, host, zone, capacity, health, vanished,
                                            source, mark, observed_at)
            OVERRIDING SYSTEM VALUE
            SELECT g.created_at, o.instance, o.application, o.host, o.zone, o.capacity, 'Unhealthy', false,
                   o.source, o.mark, o.observed_at
            FROM (SELECT hosts[1] AS host, created_at FROM grants
                  WHERE hosts[1] LIKE 'web_' ORDER BY created_at LIMIT 1) g
            JOIN observed_instances o ON o.application = 'web' AND o.host <> g.host
              AND o.id IN (SELECT min(id) FROM observed_instances GROUP BY instance)
            """);
    assertThat(of(found, Invariant.I1).violations()).as(found.toString()).isEmpty();
    assertThat(of(found, Invariant.I1).judged()).as(found.toString()).isEqualTo(9);
  }

  @Test
  void i1DoesNotKnowWhatWasForgotten() {
    Finding found =
        of(audit("UPDATE observations_kept SET since = clock_timestamp()"), Invariant.I1);
    assertThat(found.verdict()).isEqualTo(InvariantVerdict.UNKNOWN);
    assertThat(found.gaps()).anyMatch(why -> why.contains("kept only since"));
  }

  @Test
  void i1NamesTheRuleItDoesNotJudge() {
    Finding found =
        of(
            audit(
                "UPDATE policies SET yaml = replace(yaml, '{maxUnavailable: 1}',"
                    + " '{maxUnavailable: 1}, {disruptionInterval: 1h}') WHERE name = 'web'"),
            Invariant.I1);
    assertThat(found.verdict()).isEqualTo(InvariantVerdict.UNKNOWN);
    assertThat(found.gaps())
        .contains(
            "application web: the auditor does not judge disruptionInterval of policy web version 1");
  }

  /** One falls over while the other is being upgraded, and comes back. */
  @Test
  void aLaterDropIsABreachWithItsCauseAndNoViolation() {
    site.before(
        JobStep.Health,
        "feed1",
        () -> {
          site.put("feed@feed2", "feed", "feed2", false);
          site.report();
        });
    String second = site.rollout("feed1");
    until("it ended", () -> client.rollout(second).getState() == RolloutState.Succeeded);
    site.put("feed@feed2", "feed", "feed2", true);
    until("its lock is written down", () -> all(audited(second), InvariantVerdict.HELD));
    Finding budget = of(audited(second), Invariant.I1);
    assertThat(budget.breaches())
        .singleElement()
        .satisfies(
            breach ->
                assertThat(breach.says())
                    .contains(
                        "0 of 2 would be left, 1 are required by minAvailable 1 (policy feed version 1),"
                            + " since feed@feed2 on feed2 was told to be Unhealthy after g"));
  }

  /** Somebody else's lock appears on the first host in the middle of its upgrade. */
  @Test
  void whatIsFoundWhileARolloutRunsIsToldOnceAndPausesIt() {
    site.before(
        JobStep.Update,
        "mail1",
        () ->
            database.useHandle(
                handle ->
                    handle.execute(
                        """
                        INSERT INTO lock_history
                          (epoch, revision, ordinal, what, lock_id, kind, hosts, holder, by, reason, token)
                        SELECT epoch, revision, 99, 'Granted', 't-8', 'Session', '{mail1}', 'x', 'x', '', 1
                        FROM lock_history WHERE what = 'Granted' AND hosts = '{mail1}'
                        """)));
    AtomicReference<String> second = new AtomicReference<>("");
    site.before(
        JobStep.Recover,
        "mail1",
        () ->
            until(
                "it was paused",
                () -> client.rollout(second.get()).getState() == RolloutState.Paused));
    second.set(site.rollout("mail1", "mail2"));
    until(
        "the first host ended",
        () -> site.upgrade(second.get(), "mail1").getState() == HostUpgradeState.Upgraded);
    assertThat(client.rollout(second.get()).getStateBy()).isEqualTo("auditor");
    until("it was told", () -> count("audit_violations WHERE told_at IS NOT NULL") == 1);
    until(
        "all was audited",
        () -> count("events WHERE number > (SELECT number FROM audit_position)") == 0);
    assertThat(count("events WHERE kind = 'AuditViolation' AND rollout = '" + second.get() + "'"))
        .isOne();
    assertThat(count("events WHERE kind = 'AuditViolation' AND data->>'invariant' = 'I2'")).isOne();
    assertThat(count("events WHERE kind = 'AuditViolation'"))
        .as("of the clean rollouts there is none")
        .isOne();
    assertThat(site.upgrade(second.get(), "mail2").getState()).isEqualTo(HostUpgradeState.Pending);
    assertThat(site.done("mail2")).isEmpty();
  }

  /** Hosts that go back or stay behind in every way there is, and nobody broke a promise. */
  @Test
  void failuresAreNoViolations() {
    site.outcome(JobStep.Cordon, "odd1", JobOutcome.Failed);
    site.outcome(JobStep.Drain, "odd2", JobOutcome.Failed);
    site.outcome(JobStep.Drain, "odd3", JobOutcome.Unknown);
    site.outcome(JobStep.Update, "odd4", JobOutcome.Failed);
    site.outcome(JobStep.Health, "odd5", JobOutcome.Failed);
    site.outcome(JobStep.Recover, "odd6", JobOutcome.Failed);
    AtomicBoolean first = new AtomicBoolean(true);
    site.before(
        JobStep.Cordon,
        "odd7",
        () ->
            policy(
                "odd",
                "capacity: [{maxUnavailable: %s}]"
                    .formatted(first.getAndSet(false) ? "0" : "100%")));
    site.after(JobStep.Uncordon, "odd7", () -> policy("odd", "capacity: [{maxUnavailable: 100%}]"));
    String mixed = site.rollout("odd1", "odd2", "odd3", "odd4", "odd5", "odd6");
    until("it ended", () -> client.rollout(mixed).getState() == RolloutState.Degraded);
    assertThat(client.hostUpgrades(mixed))
        .extracting(upgrade -> upgrade.getState().name())
        .containsExactly(
            "Reverted", "Reverted", "Quarantined", "Quarantined", "Quarantined", "Quarantined");
    String heldOnce = site.rollout("odd7");
    until("it ended", () -> client.rollout(heldOnce).getState() == RolloutState.Succeeded);
    assertThat(site.done("odd7")).contains("Uncordon", "Recover");
    until("all is written down", () -> all(audited(mixed), InvariantVerdict.HELD));
    until("all is written down", () -> all(audited(heldOnce), InvariantVerdict.HELD));
  }

  private long count(String rows) {
    return database.withHandle(
        handle -> handle.createQuery("SELECT count(*) FROM " + rows).mapTo(Long.class).one());
  }

  @Test
  void i2FindsASecondLockOnALockedHost() {
    finds(
        Invariant.I2,
        "cell1 was granted to t-9 while g",
        """
        INSERT INTO lock_history
          (epoch, revision, ordinal, at, what, lock_id, kind, hosts, holder, by, reason, token)
        SELECT epoch, revision, 99, at, 'Granted', 't-9', 'Session', '{cell1}', 'x', 'x', '', 1
        FROM lock_history WHERE what = 'Granted' AND 'cell1' = ANY(hosts)
        """);
  }

  @Test
  void i2FindsAJobGivenOutAfterTheHoldEnded() {
    finds(
        Invariant.I2,
        "after the hold of g",
        """
        CREATE TEMP TABLE late ON COMMIT DROP AS
        SELECT * FROM jobs WHERE host = 'web1' AND step = 'Cordon'
        """,
        "UPDATE late SET id = replace(id, '.Cordon.', '.Verify.') || '9', step = 'Verify', round = 99",
        "INSERT INTO jobs SELECT * FROM late",
        """
        INSERT INTO events (kind, rollout, host, data)
        SELECT kind, rollout, 'web1', jsonb_build_object('job', late.id, 'attempt', 1)
        FROM late, grants g, unnest(ARRAY['JobClaimed', 'JobDone']) kind WHERE g.id = late.grant_id
        """);
  }

  /** As if the clock had been set back in the middle of the rollout, and then put right again. */
  private static final List<String> JUMPED =
      List.of(
          "UPDATE lock_history SET at = at - interval '1 hour' WHERE what = 'Ended'",
          "UPDATE events SET at = at + interval '1 hour' WHERE kind IN ('HostUpgraded', 'JobClaimed')",
          "UPDATE checks SET decided_at = decided_at + interval '2 hours'",
          "UPDATE jobs SET ended_at = ended_at + interval '1 hour'");

  /**
   * Order is told by numbers. Only what was up, I1, is told by times, and nobody noted this jump.
   */
  @Test
  void aClockThatJumpsMakesNobodyGuilty() {
    Map<Invariant, Finding> found = audit(JUMPED.toArray(String[]::new));
    assertThat(found)
        .allSatisfy(
            (invariant, finding) ->
                assertThat(finding.verdict())
                    .as(finding.toString())
                    .isEqualTo(
                        invariant == Invariant.I1
                            ? InvariantVerdict.VIOLATED
                            : InvariantVerdict.HELD));
  }

  @Test
  void nobodyIsGuiltyByTimesOnceAClockIsNotedToHaveBeenSetBack() {
    List<String> noted = new ArrayList<>(JUMPED);
    noted.add("INSERT INTO clock_set_backs (seen) VALUES (clock_timestamp())");
    assertThat(audit(noted.toArray(String[]::new)).values())
        .allSatisfy(
            finding ->
                assertThat(finding.verdict())
                    .as(finding.toString())
                    .isIn(InvariantVerdict.HELD, InvariantVerdict.UNKNOWN));
  }

  @Test
  void i3FindsABatchThatPassedAnother() {
    finds(
        Invariant.I3,
        "before t-0, which was accepted earlier for the same hosts",
        """
        INSERT INTO lock_history
          (epoch, revision, ordinal, at, what, lock_id, kind, hosts, holder, by, reason, token, rollout)
        SELECT epoch, 1, 0, at, 'Queued', 't-0', 'Batch', '{web1}', 'x', 'x', '', 0, 'r0'
        FROM lock_history WHERE what = 'Granted' AND hosts = '{web1}'
        """);
  }

  @Test
  void i4FindsATouchedBatchOfWhichAHostWasNeverLocked() {
    finds(
        Invariant.I4,
        "cell2 of its batch was never locked",
        "UPDATE lock_history SET hosts = '{cell1}' WHERE what = 'Granted' AND 'cell2' = ANY(hosts)");
  }

  @Test
  void i4FindsADrainBeforeTheBatchWasOpen() {
    finds(
        Invariant.I4,
        "before an open check let the batch of 2 hosts go",
        """
        UPDATE checks SET decided_event = last_event()
        WHERE kind = 'open' AND grant_id = (SELECT id FROM grants WHERE 'cell1' = ANY(hosts))
        """);
  }

  @Test
  void i5FindsAnUpdateBeforeTheDrainWasDone() {
    finds(
        Invariant.I5,
        "Update was given out before its drain was done",
        """
        WITH two AS (SELECT id, kind, data FROM events WHERE host = 'web1' AND
                      ((kind = 'JobDone' AND data->>'job' LIKE '%.Drain.%')
                       OR (kind = 'JobClaimed' AND data->>'job' LIKE '%.Update.%')))
        UPDATE events e SET kind = o.kind, data = o.data
        FROM two o WHERE e.id IN (SELECT id FROM two) AND o.id <> e.id
        """);
  }

  @Test
  void i5FindsAHoldThatEndedBeforeRecovery() {
    finds(
        Invariant.I5,
        "before its recovery was verified",
        """
        UPDATE lock_history SET last_event =
          (SELECT min(id) - 1 FROM events WHERE kind = 'HostUpgraded' AND host = 'web1')
        WHERE what = 'Ended' AND hosts = '{web1}'
        """);
  }

  @Test
  void i6FindsAJobThatEndedTwice() {
    finds(
        Invariant.I6,
        "it ended twice",
        """
        INSERT INTO events (at, kind, rollout, host, data)
        SELECT at, kind, rollout, host, data FROM events
        WHERE host = 'web2' AND kind = 'JobDone' AND data->>'job' LIKE '%.Drain.%'
        """);
  }

  @Test
  void i7FindsAHostThatIsNotDoneAtTheEnd() {
    finds(
        Invariant.I7,
        "the rollout ended while it is Pending",
        "UPDATE host_upgrades SET state = 'Pending' WHERE host = 'web2'");
  }

  @Test
  void i7FindsAHostThatIsGone() {
    finds(
        Invariant.I7,
        "it was submitted and is in no state at all",
        "DELETE FROM host_upgrades WHERE host = 'cell1'");
  }

  @Test
  void i8FindsAHoldThatOutlivedItsBatch() {
    finds(
        Invariant.I8,
        "ended, but its hold did not",
        "DELETE FROM lock_history WHERE what = 'Ended' AND hosts = '{web2}'",
        "UPDATE grants SET ended_at = ended_at - interval '10 minutes', hold_ended_at = NULL"
            + " WHERE 'web2' = ANY(hosts)");
  }

  @Test
  void aGapOfTheLockHistoryIsNeverCalledClean() {
    Map<Invariant, Finding> found =
        audit(
            """
            INSERT INTO lock_history
              (epoch, revision, ordinal, what, lock_id, kind, hosts, holder, by, reason, token)
            SELECT epoch, revision + 1, 98, 'Gap', '', '', '{}', '', 'etcd', 'forgotten', 0
            FROM lock_history WHERE what = 'Granted' AND hosts = '{web1}'
            """);
    for (Invariant followed : List.of(Invariant.I2, Invariant.I3, Invariant.I4, Invariant.I8)) {
      assertThat(of(found, followed).verdict())
          .as(followed.name())
          .isEqualTo(InvariantVerdict.UNKNOWN);
      assertThat(of(found, followed).gaps()).anyMatch(why -> why.contains("forgotten"));
    }
    assertThat(of(found, Invariant.I6).verdict()).isEqualTo(InvariantVerdict.HELD);
  }

  @Test
  void anEventThatIsGoneIsNeverCalledClean() {
    Map<Invariant, Finding> found =
        audit("DELETE FROM events WHERE host = 'web1' AND kind = 'JobPublished'");
    for (Invariant told : List.of(Invariant.I5, Invariant.I6, Invariant.I7)) {
      assertThat(of(found, told).verdict()).as(told.name()).isEqualTo(InvariantVerdict.UNKNOWN);
      assertThat(of(found, told).gaps()).anyMatch(why -> why.contains("are gone"));
    }
  }

  /** The one invariant that is violated, and no other. */
  private void finds(Invariant invariant, String says, String... falsified) {
    Map<Invariant, Finding> found = audit(falsified);
    assertThat(of(found, invariant).violations())
        .as(found.toString())
        .isNotEmpty()
        .anySatisfy(violation -> assertThat(violation.says()).contains(says))
        .allSatisfy(violation -> assertThat(violation.evidence()).isNotEmpty());
    assertThat(
            found.values().stream()
                .filter(finding -> finding.verdict() == InvariantVerdict.VIOLATED)
                .map(Finding::invariant))
        .as(found.toString())
        .containsExactly(invariant);
  }

  private static Finding of(Map<Invariant, Finding> found, Invariant invariant) {
    return Objects.requireNonNull(found.get(invariant));
  }

  /** What the auditor finds in logs falsified so, which stay as they were. */
  private Map<Invariant, Finding> audit(String... falsified) {
    try (Handle handle = database.open()) {
      handle.begin();
      for (String sql : falsified) {
        assertThat(sql.isEmpty() || handle.execute(sql) > 0)
            .as("changes something: " + sql)
            .isTrue();
      }
      Map<Invariant, Finding> found =
          auditor.audit(handle, rollout).orElseThrow().findings().stream()
              .collect(Collectors.toMap(Finding::invariant, finding -> finding));
      handle.rollback();
      return found;
    }
  }

  private Map<Invariant, Finding> audited(String audited) {
    return auditor.audit(audited).orElseThrow().findings().stream()
        .collect(Collectors.toMap(Finding::invariant, finding -> finding));
  }

  private static boolean all(Map<Invariant, Finding> found, InvariantVerdict invariantVerdict) {
    return found.values().stream().allMatch(finding -> finding.verdict() == invariantVerdict);
  }

  private void until(String what, BooleanSupplier condition) {
    site.until(what, condition, () -> "; found: " + (rollout == null ? "" : audit("")));
  }
}
