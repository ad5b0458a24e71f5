package dev.drydock.orchestrator.temporal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.orchestrator.testkit.Stack;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowClientOptions;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real Temporal that does not know the namespace answers as if there were no workflows. */
@Tag("stack")
final class MissingNamespaceTest {
  private final WorkflowServiceStubs stubs =
      WorkflowServiceStubs.newServiceStubs(
          WorkflowServiceStubsOptions.newBuilder()
              .setTarget("127.0.0.1:" + Stack.port("temporal"))
              .build());

  @AfterEach
  void close() {
    stubs.shutdownNow();
  }

  private Workflows in(String namespace) {
    return new TemporalWorkflows(
        WorkflowClient.newInstance(
            stubs, WorkflowClientOptions.newBuilder().setNamespace(namespace).build()),
        "queue-" + UUID.randomUUID());
  }

  @Test
  void noWorkflowIsTakenForLostWhereTheNamespaceIsMissing() {
    Workflows workflows = in("never-made-" + UUID.randomUUID());
    assertThatThrownBy(() -> workflows.gone("batch/g1"))
        .isInstanceOf(NamespaceMissingException.class)
        .hasMessageContaining("does not know the namespace never-made-");
    assertThatThrownBy(() -> workflows.wake("batch/g1", "job"))
        .as("nor is a wake-up taken for delivered")
        .isInstanceOf(NamespaceMissingException.class);
  }

  /** The control: where it is known, a workflow that is not there is missing. */
  @Test
  void aWorkflowIsMissingWhereTheNamespaceIsKnown() {
    Workflows workflows = in("temporal-system");
    assertThat(workflows.gone("batch/g1")).contains("missing");
    assertThat(workflows.wake("batch/g1", "job")).isFalse();
  }
}
