package dev.drydock.orchestrator.temporal;

import static org.assertj.core.api.Assertions.assertThat;

import io.temporal.testing.TestWorkflowEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two installations count their grants from one, and use one namespace. */
final class TemporalWorkflowsTest {
  private final TestWorkflowEnvironment temporal = TestWorkflowEnvironment.newInstance();
  private final Workflows ours = of("drydock");
  private final Workflows theirs = of("drydock-of-others");

  private Workflows of(String taskQueue) {
    return new TemporalWorkflows(temporal.getWorkflowClient(), taskQueue);
  }

  @AfterEach
  void close() {
    temporal.close();
  }

  @Test
  void aBatchOfOthersIsNotTakenForOurs() {
    theirs.startBatch("g1");
    assertThat(ours.gone("batch/g1")).contains("missing");
    assertThat(ours.wake("batch/g1", "job")).isFalse();
    ours.startBatch("g1");
    assertThat(ours.gone("batch/g1")).isEmpty();
    assertThat(ours.wake("batch/g1", "job")).isTrue();
  }

  @Test
  void aRolloutOfOthersIsNotTakenForOurs() {
    theirs.startRollout("r1");
    assertThat(ours.gone("rollout/r1")).contains("missing");
    ours.startRollout("r1");
    assertThat(ours.gone("rollout/r1")).isEmpty();
  }

  /** The control: other processes of one installation have its batches, and start none twice. */
  @Test
  void aBatchThatAnotherProcessOfOursStartedIsOurs() {
    of("drydock").startBatch("g1");
    assertThat(ours.gone("batch/g1")).isEmpty();
    ours.startBatch("g1");
    assertThat(ours.wake("batch/g1", "job")).isTrue();
  }
}
