package dev.drydock.orchestrator.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.orchestrator.activity.RemediationActivities;
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
import org.junit.jupiter.api.Test;

/**
 * Remediations under way when a new version starts must go on. To record the history of this
 * version anew run this test with {@code -Dhistories.record=true}.
 */
class RemediationReplayTest {
  private static final Path RECORDED = Path.of("src/test/resources/histories/remediation.json");
  private static final String ID = "remediation/g1/h01";
  private static final int LOOKS = 3;

  /** Nobody wakes it: it looks again by itself until nothing is left to be done. */
  @Test
  void looksUntilNothingIsLeftToBeDone() throws IOException {
    AtomicInteger looks = new AtomicInteger();
    try (TestWorkflowEnvironment temporal = TestWorkflowEnvironment.newInstance()) {
      Worker worker = temporal.newWorker("test");
      worker.registerWorkflowImplementationTypes(RemediationWorkflowImpl.class);
      worker.registerActivitiesImplementations(
          (RemediationActivities) (grant, host) -> looks.incrementAndGet() == LOOKS);
      temporal.start();
      RemediationWorkflow workflow =
          temporal
              .getWorkflowClient()
              .newWorkflowStub(
                  RemediationWorkflow.class,
                  WorkflowOptions.newBuilder().setWorkflowId(ID).setTaskQueue("test").build());
      WorkflowClient.start(workflow::run, "g1", "h01");
      WorkflowStub.fromTyped(workflow).getResult(Void.class);
      if (Boolean.getBoolean("histories.record")) {
        Files.writeString(
            RECORDED,
            temporal
                .getWorkflowClient()
                .fetchHistory(ID)
                .toJson(true)
                .replaceAll("\"identity\": \"[^\"]*\"", "\"identity\": \"recorder\""));
      }
    }
    assertThat(looks).hasValue(LOOKS);
  }

  @Test
  void replaysWhatThisVersionDid() {
    assertThatCode(
            () ->
                WorkflowReplayer.replayWorkflowExecution(
                    RECORDED.toFile(), RemediationWorkflowImpl.class))
        .doesNotThrowAnyException();
  }

  /** The control: one that does not wait between its looks does not replay. */
  @Test
  void aChangedOrderDoesNotReplay() {
    assertThatThrownBy(
            () -> WorkflowReplayer.replayWorkflowExecution(RECORDED.toFile(), WithoutRest.class))
        .hasMessageContaining("replay");
  }

  /** A remediation as somebody might write it who is in a hurry. */
  public static final class WithoutRest implements RemediationWorkflow {
    private final RemediationActivities activities =
        Workflow.newLocalActivityStub(RemediationActivities.class, ActivityTimes.local());

    @Override
    public void run(String grant, String host) {
      boolean ended = false;
      while (!ended) {
        ended = activities.advance(grant, host);
      }
    }

    @Override
    public void wake(String cause) {}
  }
}
