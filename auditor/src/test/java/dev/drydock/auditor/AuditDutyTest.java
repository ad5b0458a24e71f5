package dev.drydock.auditor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.auditor.core.Finding;
import dev.drydock.auditor.core.FindingDetail;
import dev.drydock.auditor.core.Invariant;
import dev.drydock.auditor.core.InvariantVerdict;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nothing that is written keeps the auditor from what comes after it. */
@Tag("stack")
final class AuditDutyTest {
  private final TestDatabase database = TestDatabase.create();
  private final Metrics metrics = new Metrics();
  private final List<RolloutViolation> paused = new ArrayList<>();
  private final Auditor auditor =
      new Auditor(database.jdbi(), Duration.ofMinutes(30), Duration.ofSeconds(30));
  private final AuditDuty duty = new AuditDuty(auditor, database.jdbi(), paused::add, metrics);

  @BeforeEach
  void twoRolloutsOfOneHostEach() {
    execute("INSERT INTO releases (name, spec, created_by) VALUES ('2', '{}', 'sre')");
    for (String n : List.of("1", "2")) {
      execute(
          """
          INSERT INTO hosts (name, address, scheduler, hardware_class, source, observed_at)
          VALUES ('h%1$s', '127.0.0.1', 'static', 'standard', 'static', clock_timestamp());
          INSERT INTO rollouts (id, release, mode, state, reason, requester, team)
          VALUES ('r%1$s', '2', 'PackageUpdate', 'Running', '', 'sre', 'sre');
          INSERT INTO host_upgrades (rollout, host, position, batch, state)
          VALUES ('r%1$s', 'h%1$s', 1, 0, 'Pending');
          """
              .formatted(n));
    }
    execute("DELETE FROM events; UPDATE audit_position SET number = 0");
  }

  @AfterEach
  void close() {
    duty.close();
    database.close();
  }

  /** Its job was given out, and its host was never locked. */
  @Test
  void aVoidGrantThatTouchedItsHostIsAViolation() {
    touched(1);
    event(1, "r1", "h1");
    duty.round();
    assertThat(value("SELECT says FROM audit_violations WHERE invariant = 'I4'"))
        .isEqualTo("h1 was touched though h1 of its batch was never locked");
    assertThat(paused).extracting(RolloutViolation::invariant).contains(Invariant.I4);
    assertThat(position()).isEqualTo(1);
  }

  /** What a job of its is about is written as nobody can read it. */
  @Test
  void aRolloutThatCannotBeAuditedIsUnknownAndKeepsNobodyFromTheOthers() {
    touched(1);
    touched(2);
    execute(
        """
        ALTER TABLE jobs DROP CONSTRAINT jobs_grant_id_hook_fkey;
        UPDATE jobs SET step = 'Hook', hook = 1, spec = '{"hook": {"hosts": 7}}' WHERE host = 'h2';
        """);
    event(1, "r2", "h2");
    event(2, "r1", "h1");
    duty.round();
    assertThat(position()).isEqualTo(2);
    assertThat(value("SELECT DISTINCT rollout FROM audit_violations")).isEqualTo("r1");
    assertThat(gaps()).startsWith("r2: the auditor failed over it: ");

    event(3, "r2", "h2");
    duty.round();
    assertThat(position()).isEqualTo(3);
    assertThat(value("SELECT count(*) FROM events WHERE kind = 'AuditGap'"))
        .as("told once")
        .isEqualTo("1");
    assertThat(metrics.auditGaps.get()).isEqualTo(1);
  }

  @Test
  void goesOnBehindEventsThatAreGoneAndTellsThatItDoesNotKnowThem() {
    touched(1);
    event(5_001, "r1", "h1");
    duty.round();
    assertThat(metrics.auditLag.get()).isEqualTo(5_001);
    assertThat(position()).isEqualTo(5_001);
    assertThat(gaps())
        .isEqualTo("-: 5000 events up to number 5001 were gone before they were audited");
    assertThat(value("SELECT DISTINCT rollout FROM audit_violations")).isEqualTo("r1");
  }

  /** Whatever is thrown, and whether or not it comes to its end. */
  @Test
  @Timeout(60)
  void aRolloutThatEndedAndCannotBeAuditedKeepsNobodyFromTheNext() throws Exception {
    FindingDetail findingDetail =
        new FindingDetail("host/h1", Optional.empty(), "it is lost", List.of());
    Finding violated =
        new Finding(
            Invariant.I7,
            InvariantVerdict.VIOLATED,
            1,
            1,
            List.of(findingDetail),
            0,
            List.of(),
            List.of());
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    List<String> asked = new ArrayList<>();
    Function<String, List<Finding>> whole =
        rollout -> {
          asked.add(rollout);
          if (rollout.equals("r1")) {
            return List.of(violated);
          } else if (rollout.equals("r2")) {
            throw new OutOfMemoryError("too large");
          }
          try {
            never.await();
          } catch (InterruptedException told) {
            ended.countDown();
          }
          return List.of();
        };
    execute(
        """
        INSERT INTO rollouts (id, release, mode, state, reason, requester, team)
        VALUES ('r3', '2', 'PackageUpdate', 'Running', '', 'sre', 'sre')
        """);
    execute("DELETE FROM events");
    ended(1, "r2");
    ended(2, "r3");
    ended(3, "r1");
    try (AuditDuty impatient = duty(whole, Duration.ofSeconds(2))) {
      impatient.round();
    }
    assertThat(asked).containsExactlyInAnyOrder("r1", "r2", "r3");
    assertThat(position()).isEqualTo(3);
    assertThat(gaps().split(", "))
        .containsExactlyInAnyOrder(
            "r2: the auditor failed over it: java.lang.OutOfMemoryError: too large",
            "r3: the auditor failed over it: it takes longer than 2 s");
    assertThat(paused).extracting(RolloutViolation::rollout).containsExactly("r1");
    ended.await();
  }

  /** The others are not kept waiting, no transaction is open, and it is seen what waits. */
  @Test
  @Timeout(60)
  void whileARolloutThatEndedIsAuditedTheOthersAreToldAndTheLagIsUpToDate() {
    touched(1);
    List<String> open = new ArrayList<>();
    Function<String, List<Finding>> whole =
        _ -> {
          assertThat(paused).extracting(RolloutViolation::rollout).contains("r1");
          open.add(
              value(
                  """
                  SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                    AND xact_start IS NOT NULL AND pid <> pg_backend_pid()
                    AND backend_type = 'client backend'
                  """));
          event(3, "r1", "h1");
          long all = Long.parseLong(value("SELECT max(number) FROM events"));
          while (metrics.auditLag.get() != all && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
          }
          assertThat(position()).isZero();
          return List.of();
        };
    ended(1, "r2");
    event(2, "r1", "h1");
    try (AuditDuty patient = duty(whole, Duration.ofMinutes(1))) {
      patient.round();
    }
    assertThat(open).containsExactly("0");
    assertThat(position()).isEqualTo(2);
    assertThat(value("SELECT count(*) FROM events WHERE kind = 'AuditGap'")).isEqualTo("0");
  }

  @Test
  void aRolloutThatEndedIsAuditedWhole() {
    touched(1);
    ended(1, "r1");
    duty.round();
    assertThat(position()).isEqualTo(1);
    assertThat(value("SELECT says FROM audit_violations WHERE invariant = 'I4'"))
        .isEqualTo("h1 was touched though h1 of its batch was never locked");
    assertThat(value("SELECT count(*) FROM events WHERE kind = 'AuditGap'")).isEqualTo("0");
  }

  /** Another process is at it: this one leaves it alone, and may do it once that one is gone. */
  @Test
  void oneProcessAtATime() {
    event(1, "r1", "h1");
    try (Handle other = database.jdbi().open()) {
      other.begin();
      other.execute("SELECT pg_advisory_xact_lock(hashtextextended('audit', 0))");
      duty.round();
      assertThat(position()).isZero();
      other.commit();
    }
    duty.round();
    assertThat(position()).isEqualTo(1);
  }

  /** The control. */
  @Test
  void whatIsAuditedLeavesNoGap() {
    event(1, "r1", "h1");
    event(2, "r2", "h2");
    duty.round();
    assertThat(position()).isEqualTo(2);
    assertThat(value("SELECT count(*) FROM events")).isEqualTo("2");
    duty.round();
    assertThat(metrics.auditLag.get()).isZero();
  }

  /** Numbers that a restored database left out are no events that are gone. */
  @Test
  void whatIsLeftOutAfterARestoreIsNoGap() {
    event(1, "r1", "h1");
    execute("INSERT INTO event_leaps (before, after) VALUES (1, 5000), (5001, 9000)");
    event(5_001, "r1", "h1");
    event(9_001, "r1", "h1");
    duty.round();
    assertThat(metrics.auditLag.get()).isEqualTo(3);
    assertThat(position()).isEqualTo(9_001);
    assertThat(value("SELECT count(*) FROM events")).isEqualTo("3");
    event(9_003, "r1", "h1");
    duty.round();
    assertThat(gaps()).as("the control").startsWith("-: 1 events up to number 9003 were gone");
  }

  /** A grant that came to nothing, and a job of it that was given out. */
  private void touched(int n) {
    execute(
        """
        INSERT INTO grants (id, rollout, hosts, state, epoch, beat, evidence)
        VALUES ('g%1$d', 'r%1$d', '{h%1$d}', 'void', 1, 1, '{}');
        INSERT INTO jobs (id, grant_id, step, host, round, run, topic, state, attempt, spec, deadline)
        VALUES ('g%1$d.Drain.h%1$d.1', 'g%1$d', 'Drain', 'h%1$d', 1, 1, 'scheduler/static', 'Claimed', 1,
                '{}', clock_timestamp());
        """
            .formatted(n));
    execute("DELETE FROM events WHERE number IS NULL");
  }

  private AuditDuty duty(Function<String, List<Finding>> whole, Duration wholeMax) {
    return new AuditDuty(auditor, database.jdbi(), paused::add, metrics, whole, wholeMax);
  }

  private void ended(long number, String rollout) {
    execute(
        "INSERT INTO events (number, kind, rollout) VALUES (%d, 'RolloutEnded', '%s')"
            .formatted(number, rollout));
  }

  private void event(long number, String rollout, String host) {
    execute(
        "INSERT INTO events (number, kind, rollout, host) VALUES (%d, 'JobClaimed', '%s', '%s')"
            .formatted(number, rollout, host));
  }

  private long position() {
    return Long.parseLong(value("SELECT number FROM audit_position"));
  }

  private String gaps() {
    return value(
        """
        SELECT string_agg(COALESCE(rollout, '-') || ': ' || (data->>'says'), ', ') FROM events
        WHERE kind = 'AuditGap'
        """);
  }

  private void execute(String sql) {
    database.jdbi().useHandle(handle -> handle.createScript(sql).execute());
  }

  private String value(String sql) {
    return database.jdbi().withHandle(handle -> handle.createQuery(sql).mapTo(String.class).one());
  }
}
