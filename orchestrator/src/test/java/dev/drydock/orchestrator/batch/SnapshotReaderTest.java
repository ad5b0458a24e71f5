package dev.drydock.orchestrator.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.impact.core.PolicyHook;
import dev.drydock.impact.core.PolicyHook.Scope;
import dev.drydock.impact.core.PolicyHook.Stage;
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
    fleet.asIf.withoutHooks(grant);
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
    fleet.workAsIf.waits(batch.diagnosis());
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
    assertThat(statements(inRepair("many", 20))).isEqualTo(ofOne).isEqualTo(8);
  }

  @Test
  void theNumberOfStatementsDoesNotGrowWithWhatEnded() {
    String grant = inRepair("one", 1);
    int before = statements(grant);
    fleet.asIf.hadBatches(100, "one", "one1");
    FullBatch.nothingHelpedInOldBatches(fleet, "one1");
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
    FullBatch.diagnosed(fleet, grant);
    return grant;
  }

  private static List<HookPolicy> wanted() {
    PolicyHook policyHook =
        new PolicyHook(
            "move",
            Stage.BEFORE_UNDEPLOY,
            Scope.HOST,
            Duration.ofMinutes(30),
            0,
            Map.of(),
            Optional.empty());
    return List.of(
        new HookPolicy(new Source("web", 3, "web-team"), Set.of("web"), List.of(policyHook)));
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
