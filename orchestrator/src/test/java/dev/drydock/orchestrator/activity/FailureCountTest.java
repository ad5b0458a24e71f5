package dev.drydock.orchestrator.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.Amount;
import dev.drydock.impact.core.FailureBudget;
import dev.drydock.orchestrator.activity.FailureBudgets.InForce;
import dev.drydock.orchestrator.store.CohortHalts;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.Rows;
import dev.drydock.orchestrator.testkit.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.statement.SqlLogger;
import org.jdbi.v3.core.statement.StatementContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a look at the failures of a rollout keeps waiting: two of its hosts failed, one waits. */
@Tag("stack")
class FailureCountTest {
  private static final InForce NONE_MAY =
      new InForce("web", 1, List.of("web"), new FailureBudget(new Amount.Count(0), 1));

  private TestDatabase database;
  private Fleet fleet;

  @BeforeEach
  void someFailed() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    List.of("a1", "a2", "a3").forEach(fleet::host);
    fleet.rollout("r1", "a1", "a2", "a3");
    fleet.asIf.failed("r1", "a1", "a2");
  }

  @AfterEach
  void stop() {
    database.close();
  }

  @Test
  void whereNoPolicySaysHowManyMayFailNothingIsCountedAndNobodyWaits() throws Exception {
    List<String> counts = new ArrayList<>();
    counting(() -> counts.add("counted"));
    database
        .jdbi()
        .useTransaction(
            proposal -> {
              Rows.propose(proposal, "r1");
              CompletableFuture.runAsync(() -> look()).get(30, TimeUnit.SECONDS);
            });
    assertThat(counts).isEmpty();
    look(NONE_MAY);
    assertThat(counts).as("the control").hasSize(1);
  }

  /** Also those that were halted by a policy that says nothing any more. */
  @Test
  void whoWaitsInAHaltedCohortIsHeldWithoutAnyPolicy() {
    fleet.asIf.halted("r1", "default");
    look();
    assertThat(waits()).containsExactly("halt:web/default/web");
  }

  @Test
  void noProposalWaitsWhileHostsAreCounted() {
    List<Boolean> free = new ArrayList<>();
    counting(() -> free.add(fleet.rows.freeRollouts().contains("r1")));
    look(NONE_MAY);
    assertThat(free).containsExactly(true);
    assertThat(waits()).as("it was looked").containsExactly("halt:web/default/web");
  }

  /** What was counted is of before. */
  @Test
  void whatPeopleLetGoOnMeanwhileIsNotHaltedAgain() {
    look(NONE_MAY);
    counting(() -> database.jdbi().useTransaction(handle -> CohortHalts.lift(handle, "r1", "sre")));
    look(NONE_MAY);
    assertThat(fleet.rows.halts("r1")).isEmpty();
    assertThat(waits()).isEmpty();
    database.jdbi().setSqlLogger(SqlLogger.NOP_SQL_LOGGER);
    fleet.asIf.failed("r1", "a3");
    look(NONE_MAY);
    assertThat(fleet.rows.halts("r1")).as("what fails since").hasSize(1);
  }

  private void look(InForce... inForce) {
    new FailureWatch(database.jdbi(), () -> List.of(inForce)).look("r1");
  }

  private List<String> waits() {
    return fleet.rows.host("a3").waitsFor();
  }

  /** From now on something happens when hosts were counted, before anything is made of it. */
  private void counting(Runnable meanwhile) {
    database
        .jdbi()
        .setSqlLogger(
            new SqlLogger() {
              @Override
              public void logAfterExecution(StatementContext context) {
                if (context.getRenderedSql().contains("count(*) AS ended")) {
                  CompletableFuture.runAsync(meanwhile).orTimeout(30, TimeUnit.SECONDS).join();
                }
              }
            });
  }
}
