package dev.drydock.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.recovery.RecoveryDriver;
import dev.drydock.orchestrator.temporal.NamespaceMissingException;
import dev.drydock.orchestrator.temporal.Workflows;
import dev.drydock.orchestrator.testkit.BatchRows;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.Row;
import dev.drydock.orchestrator.testkit.TestDatabase;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Temporal out of reach costs a round one time-out, and other duties nothing. */
@Tag("stack")
class SweeperTest {
  private final List<String> asked = new ArrayList<>();
  private TestDatabase database;
  private Fleet fleet;
  private BatchRows rows;
  private boolean namespaceMissing;
  private Status answer = Status.UNAVAILABLE;
  private Sweeper sweeper;

  @BeforeEach
  void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    rows = new BatchRows(database.jdbi(), fleet);
    sweeper =
        new Sweeper(
            database.jdbi(),
            fleet.candidates,
            fleet.holds,
            new Failing(),
            () -> true,
            () -> RecoveryDriver.Mode.NONE);
    fleet.granted("one");
    fleet.granted("two");
    fleet.asIf.grantedBefore(6);
  }

  @AfterEach
  void stop() {
    database.close();
  }

  @Test
  void asksNoMoreInARoundWhenTemporalDoesNotAnswer() {
    sweeper.sweepWorkflows();
    assertThat(asked).hasSize(1);
    answer = Status.DEADLINE_EXCEEDED;
    sweeper.sweepWorkflows();
    assertThat(asked).hasSize(2);
  }

  @Test
  void asksForTheOthersWhenOneIsRefused() {
    answer = Status.INVALID_ARGUMENT;
    sweeper.sweepWorkflows();
    assertThat(asked).hasSize(4);
  }

  @Test
  void asksForNoBatchThatHasJustBegun() {
    answer = Status.INVALID_ARGUMENT;
    fleet.asIf.grantedBefore(0);
    sweeper.sweepWorkflows();
    assertThat(asked).hasSize(2).allMatch(workflow -> workflow.startsWith("rollout/"));
  }

  /** Temporal answers, and knows no workflow as it does not know where they are. */
  @Test
  void reclaimsNothingWhereTheNamespaceIsMissingAndGoesOnWhenItIsBack() {
    namespaceMissing = true;
    sweeper.sweepWorkflows();
    sweeper.sweepWorkflows();
    assertThat(asked).as("one question a round").hasSize(2);
    assertThat(sweeper.blind().orElseThrow()).contains("does not know the namespace fleet");
    assertThat(fleet.rows.batches()).noneMatch(Row.Batch::reclaimed);
    namespaceMissing = false;
    answer = Status.INVALID_ARGUMENT;
    sweeper.sweepWorkflows();
    assertThat(asked).hasSize(6);
    assertThat(sweeper.blind()).isEmpty();
  }

  private final class Failing implements Workflows {
    @Override
    public Optional<String> gone(String workflowId) {
      asked.add(workflowId);
      if (namespaceMissing) {
        throw new NamespaceMissingException("fleet", new IllegalStateException());
      }
      throw answer.asRuntimeException();
    }

    @Override
    public void startBatch(String grant) {
      throw new AssertionError("does not run? unknown");
    }

    @Override
    public void startRollout(String rollout) {
      throw new AssertionError("does not run? unknown");
    }

    @Override
    public boolean wake(String workflowId, String cause) {
      throw answer.asRuntimeException();
    }
  }
}
