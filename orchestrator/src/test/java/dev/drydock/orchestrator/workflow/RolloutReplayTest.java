package dev.drydock.orchestrator.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.orchestrator.activity.RolloutActivities;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.WorkflowStub;
import io.temporal.testing.TestWorkflowEnvironment;
import io.temporal.testing.WorkflowReplayer;
import io.temporal.worker.Worker;
import io.temporal.workflow.Workflow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rollouts under way when a new version starts must go on: histories with and without looks of
 * their own worker are replayed. To record those of this version anew run this test with {@code
 * -Dhistories.record=true}.
 */
class RolloutReplayTest {
  private static final Path RECORDED = Path.of("src/test/resources/histories/rollouts");
  private static final String ID = "rollout/r1";
  private static final int LOOKS = 3;

  @ParameterizedTest
  @ValueSource(strings = {"first", "local-looks"})
  void replaysWhatEachVersionDid(String version) throws IOException {
    recordIfAsked(version);
    assertThatCode(
            () ->
                WorkflowReplayer.replayWorkflowExecution(
                    recorded(version).toFile(), RolloutWorkflowImpl.class))
        .doesNotThrowAnyException();
  }

  /** The control: one that does not wait between its looks replays neither. */
  @ParameterizedTest
  @ValueSource(strings = {"first", "local-looks"})
  void aChangedOrderDoesNotReplay(String version) {
    assertThatThrownBy(
            () ->
                WorkflowReplayer.replayWorkflowExecution(
                    recorded(version).toFile(), WithoutRest.class))
        .hasMessageContaining("replay");
  }

  private static Path recorded(String version) {
    return RECORDED.resolve(version + ".json");
  }

  /** Nobody wakes it: it looks again by itself until the rollout is finished. */
  private static void recordIfAsked(String version) throws IOException {
    if (!Boolean.getBoolean("histories.record")) {
      return;
    }
    AtomicInteger looks = new AtomicInteger();
    try (TestWorkflowEnvironment temporal = TestWorkflowEnvironment.newInstance()) {
      Worker worker = temporal.newWorker("test");
      worker.registerWorkflowImplementationTypes(
          version.equals("first") ? FirstVersion.class : RolloutWorkflowImpl.class);
      worker.registerActivitiesImplementations(
          (RolloutActivities) rollout -> looks.incrementAndGet() == LOOKS);
      temporal.start();
      RolloutWorkflow workflow =
          temporal
              .getWorkflowClient()
              .newWorkflowStub(
                  RolloutWorkflow.class,
                  WorkflowOptions.newBuilder().setWorkflowId(ID).setTaskQueue("test").build());
      WorkflowClient.start(workflow::run, "r1");
      WorkflowStub.fromTyped(workflow).getResult(Void.class);
      Files.createDirectories(RECORDED);
      Files.writeString(
          recorded(version),
          temporal
              .getWorkflowClient()
              .fetchHistory(ID)
              .toJson(true)
              .replaceAll("\"identity\": \"[^\"]*\"", "\"identity\": \"recorder\""));
    }
    assertThat(looks).hasValue(LOOKS);
  }

  /** What executions did that were begun before their looks were local. */
  public static final class FirstVersion implements RolloutWorkflow {
    private final RolloutActivities activities =
        Workflow.newActivityStub(RolloutActivities.class, ActivityTimes.options());

    private final Wakes wakes = new Wakes(RolloutWorkflowImpl.LOOK_AGAIN);

    @Override
    public void run(String rollout) {
      long seen = wakes.seen();
      while (!activities.advance(rollout)) {
        wakes.awaitEach(seen);
        seen = wakes.seen();
      }
    }

    @Override
    public void wake(String cause) {
      wakes.wake();
    }
  }

  /** A rollout as somebody might write it who is in a hurry. */
  public static final class WithoutRest implements RolloutWorkflow {
    @Override
    public void run(String rollout) {
      boolean local = Workflow.getVersion("local-looks", Workflow.DEFAULT_VERSION, 1) == 1;
      RolloutActivities activities =
          local
              ? Workflow.newLocalActivityStub(RolloutActivities.class, ActivityTimes.local())
              : Workflow.newActivityStub(RolloutActivities.class, ActivityTimes.options());
      boolean ended = false;
      while (!ended) {
        ended = activities.advance(rollout);
      }
    }

    @Override
    public void wake(String cause) {}
  }
}
