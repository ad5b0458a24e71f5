package dev.drydock.orchestrator.workflow;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.orchestrator.activity.BatchActivities;
import dev.drydock.orchestrator.activity.BatchRun;
import dev.drydock.orchestrator.activity.Phase;
import dev.drydock.orchestrator.activity.Progress.Status;
import io.temporal.testing.WorkflowReplayer;
import io.temporal.workflow.Workflow;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Batches under way when a new version starts must go on: histories recorded by earlier versions
 * are replayed. To record those of this version anew run this test with {@code
 * -Dhistories.record=true}; do that only when no batch of it can be under way.
 */
class ReplayTest {
  private static final Path RECORDED = Path.of("src/test/resources/histories");

  /** Where the histories of this version are; beside them are those of the first. */
  private static final String CURRENT = "onward/";

  /** Beside them those of batches with hooks, which say so in what they are. */
  private static final String HOOKED = "onward/hooks/";

  private static final Map<String, ScriptedBatch> HOOKED_BATCHES =
      Map.of(
          "upgraded",
          new ScriptedBatch()
              .hooked()
              .answer(Phase.BEFORE_UNDEPLOY, Status.WAITING, Status.WAITING, Status.DONE)
              .answer(Phase.AFTER_DEPLOY, Status.WAITING, Status.DONE),
          "vetoed",
          new ScriptedBatch()
              .hooked()
              .answer(Phase.BEFORE_UNDEPLOY, Status.WAITING, Status.HELD)
              .answer(Phase.UNDO, Status.WAITING, Status.DONE),
          "blocked",
          new ScriptedBatch()
              .hooked()
              .answer(Phase.AFTER_DEPLOY, Status.WAITING, Status.ASIDE)
              .quarantineLeaves(0));

  private static final Map<String, ScriptedBatch> BATCHES =
      Map.of(
          "upgraded",
          new ScriptedBatch().answer(Phase.UPDATE, Status.WAITING, Status.WAITING, Status.DONE),
          "skipped",
          new ScriptedBatch().answer(Phase.VERIFY, Status.WAITING, Status.NEEDLESS),
          "held",
          new ScriptedBatch()
              .answer(Phase.OPEN, Status.WAITING, Status.HELD)
              .answer(Phase.UNDO, Status.WAITING, Status.DONE),
          "quarantined",
          new ScriptedBatch().answer(Phase.UPDATE, Status.BROKEN).quarantineLeaves(0));

  @ParameterizedTest
  @ValueSource(strings = {"upgraded", "skipped", "held", "quarantined"})
  void replaysWhatTheFirstVersionDid(String batch) {
    assertReplays(batch);
  }

  /** A step for each phase. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "local-steps/upgraded",
        "local-steps/skipped",
        "local-steps/held",
        "local-steps/quarantined",
        "hooks/upgraded",
        "hooks/vetoed",
        "hooks/blocked"
      })
  void replaysWhatTheSecondVersionDid(String batch) {
    assertReplays(batch);
  }

  @ParameterizedTest
  @ValueSource(strings = {"upgraded", "skipped", "held", "quarantined"})
  void replaysWhatThisVersionDid(String batch) throws IOException {
    recordIfAsked(CURRENT + batch, Objects.requireNonNull(BATCHES.get(batch)));
    assertReplays(CURRENT + batch);
  }

  @ParameterizedTest
  @ValueSource(strings = {"upgraded", "vetoed", "blocked"})
  void replaysWhatBatchesWithHooksDid(String batch) throws IOException {
    recordIfAsked(HOOKED + batch, Objects.requireNonNull(HOOKED_BATCHES.get(batch)));
    assertReplays(HOOKED + batch);
  }

  private static void assertReplays(String batch) {
    assertThatCode(
            () ->
                WorkflowReplayer.replayWorkflowExecution(recorded(batch), BatchWorkflowImpl.class))
        .doesNotThrowAnyException();
  }

  /** The control: a workflow that leaves out checks, and hooks, does not replay. */
  @ParameterizedTest
  @ValueSource(strings = {"upgraded", "hooks/upgraded", "onward/upgraded"})
  void aChangedOrderDoesNotReplay(String batch) {
    assertThatThrownBy(
            () ->
                WorkflowReplayer.replayWorkflowExecution(
                    recorded(batch), WithoutConfirmation.class))
        .hasMessageContaining("replay");
  }

  private static File recorded(String batch) {
    return RECORDED.resolve(batch + ".json").toFile();
  }

  private static void recordIfAsked(String batch, ScriptedBatch script) throws IOException {
    if (!Boolean.getBoolean("histories.record")) {
      return;
    }
    try (Flow flow = new Flow()) {
      flow.run(script);
      Path history = recorded(batch).toPath();
      Files.createDirectories(history.resolveSibling(""));
      Files.writeString(
          history,
          // Who recorded it is of no interest.
          flow.history().replaceAll("\"identity\": \"[^\"]*\"", "\"identity\": \"recorder\""));
    }
  }

  /** A batch as somebody might write it who thinks one check is enough. */
  public static final class WithoutConfirmation implements BatchWorkflow {
    private final BatchActivities activities =
        Workflow.newActivityStub(BatchActivities.class, ActivityTimes.options());

    @Override
    public void run(String grant) {
      BatchRun run = activities.begin(grant, Workflow.getInfo().getFirstExecutionRunId());
      activities.pursue(run, Phase.FREEZE);
      activities.recordEnd(run);
      activities.endHold(grant);
    }

    @Override
    public void wake(String cause) {}
  }
}
