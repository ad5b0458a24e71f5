package dev.drydock.orchestrator.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.Hook;
import dev.drydock.impact.core.Hook.Scope;
import dev.drydock.impact.core.Hook.Stage;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.core.model.BatchHook.Source;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.HookPolicy;
import dev.drydock.orchestrator.core.model.RepairLimits;
import dev.drydock.orchestrator.core.model.RepairLoad;
import dev.drydock.orchestrator.core.model.RunningInstance;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jdbi.v3.core.statement.SqlLogger;
import org.jdbi.v3.core.statement.StatementContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("stack")
final class SnapshotReaderTest {
  private static final RepairLimits LIMITS = new RepairLimits(10, 3, Duration.ofHours(1));

  private TestDatabase database;
  private Fleet fleet;
  private final SnapshotReader reader = new SnapshotReader(LIMITS);

  @BeforeEach
  void begin() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
  }

  @AfterEach
  void end() {
    database.close();
  }

  @Test
  void aBatchIsReadWithEverythingInIt() {
    FullBatch batch = new FullBatch(fleet);
    BatchSnapshot read = read(batch.grant());
    assertThat(read).isEqualTo(new FullSnapshot(batch.grant()).at(read.now(), LIMITS));
  }

  @Test
  void hooksThatPoliciesWantAreReadUntilHooksAreWritten() {
    fleet.wanted = wanted();
    String grant = fleet.granted("h1");
    BatchSnapshot before = read(grant);
    assertThat(before.grant().hooked()).isEmpty();
    assertThat(before.wanted()).isEqualTo(wanted());
    assertThat(before.running()).containsExactly(new RunningInstance("web@h1", "web", "h1"));
    fleet.execute("UPDATE grants SET hooked = false");
    BatchSnapshot after = read(grant);
    assertThat(after.grant().hooked()).contains(false);
    assertThat(after.wanted()).isEmpty();
    assertThat(after.running()).isEmpty();
  }

  @Test
  void remediationsElsewhereAreReadOnceTheLastActionHasEnded() {
    FullBatch batch = new FullBatch(fleet);
    batch.remediatedElsewhere();
    assertThat(read(batch.grant()).loads())
        .isEqualTo(Map.of(FullBatch.REPAIRED, new RepairLoad(1, 1, 0, true)));
    fleet.execute("UPDATE jobs SET state = 'Pending' WHERE id = '" + batch.diagnosis() + "'");
    assertThat(read(batch.grant()).loads()).isEmpty();
  }

  @Test
  void theWayForwardIsReadByFourStatements() {
    String grant = fleet.granted("h1");
    assertThat(statements(grant)).isEqualTo(4);
  }

  @Test
  void theNumberOfStatementsDoesNotGrowWithHosts() {
    fleet.wanted = wanted();
    fleet.ladder = new Ladder(List.of(Rung.RETRY_STEP));
    int ofOne = statements(inRepair("one", 1));
    assertThat(statements(inRepair("many", 20))).isEqualTo(ofOne).isEqualTo(9);
  }

  @Test
  void theNumberOfStatementsDoesNotGrowWithWhatEnded() {
    String grant = inRepair("one", 1);
    int before = statements(grant);
    fleet.execute(
        """
        INSERT INTO grants (id, rollout, hosts, state, end_state, epoch, beat, evidence)
        SELECT 'old' || n, 'one', '{one1}', 'ended', 'Held', 0, 0, '{}' FROM generate_series(1, 100) n
        """);
    fleet.execute(
        """
        INSERT INTO remediations (grant_id, host, step, reason, ladder, state, signature, ended_at)
        SELECT 'old' || n, 'one1', 'Update', 'failed', '{}', 'Exhausted', 'x', clock_timestamp()
        FROM generate_series(1, 100) n
        """);
    assertThat(statements(grant)).isEqualTo(before);
  }

  /** A batch of new hosts. Each was diagnosed after its Update failed. */
  private String inRepair(String rollout, int count) {
    String[] hosts =
        IntStream.rangeClosed(1, count).mapToObj(n -> rollout + n).toArray(String[]::new);
    for (String host : hosts) {
      fleet.host(host);
    }
    fleet.rollout(rollout, hosts);
    String grant = fleet.grant(rollout, hosts);
    fleet.execute(
        """
        INSERT INTO jobs (id, grant_id, step, host, round, run, topic, state, attempt, spec, result, deadline)
        SELECT u.grant_id || '.Repair.' || u.host || '.1', u.grant_id, 'Repair', u.host, 1, 1,
               'host/PackageUpdate', 'Done', 1, '{"repair": "Diagnose"}',
               '{"message": "disk full", "facts": {"diagnosis.signature": "disk-full"}}',
               clock_timestamp()
        FROM host_upgrades u WHERE u.grant_id = '%s'
        """
            .formatted(grant));
    fleet.execute(
        """
        INSERT INTO remediations (grant_id, host, step, reason, ladder)
        SELECT grant_id, host, 'Update', 'failed', '{RetryStep}' FROM jobs WHERE grant_id = '%s'
        """
            .formatted(grant));
    fleet.execute(
        """
        INSERT INTO remediation_steps (grant_id, host, step, number, action, job)
        SELECT grant_id, host, 'Update', 1, 'Diagnose', id FROM jobs WHERE grant_id = '%s'
        """
            .formatted(grant));
    return grant;
  }

  private static List<HookPolicy> wanted() {
    Hook hook =
        new Hook(
            "move",
            Stage.BEFORE_UNDEPLOY,
            Scope.HOST,
            Duration.ofMinutes(30),
            0,
            Map.of(),
            Optional.empty());
    return List.of(new HookPolicy(new Source("web", 3, "web-team"), Set.of("web"), List.of(hook)));
  }

  private BatchSnapshot read(String grant) {
    return database
        .jdbi()
        .inTransaction(handle -> reader.read(handle, grant, fleet.policies.now()));
  }

  /** How many statements it takes to read a batch. */
  private int statements(String grant) {
    AtomicInteger count = new AtomicInteger();
    database
        .jdbi()
        .setSqlLogger(
            new SqlLogger() {
              @Override
              public void logAfterExecution(StatementContext context) {
                count.incrementAndGet();
              }
            });
    read(grant);
    database.jdbi().setSqlLogger(SqlLogger.NOP_SQL_LOGGER);
    return count.get();
  }
}
