package dev.drydock.orchestrator.workflow;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.temporal.common.WorkflowExecutionHistory;
import io.temporal.testing.WorkflowReplayer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Histories of workflows as they were recorded. To record them anew run the replay tests with
 * {@code -Dhistories.record=true}; do that only when no workflow of the version before can be under
 * way.
 */
final class Histories {
  private static final Path RECORDED = Path.of("src/test/resources/histories");

  private Histories() {}

  static boolean toBeRecorded() {
    return Boolean.getBoolean("histories.record");
  }

  static void record(String name, WorkflowExecutionHistory history) {
    try {
      Files.createDirectories(RECORDED);
      Files.writeString(
          file(name),
          // Who recorded it is of no interest.
          history
              .toJson(true)
              .replaceAll("\"identity\": \"[^\"]*\"", "\"identity\": \"recorder\""));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  static void assertReplays(String name, Class<?> workflow) {
    assertThatCode(() -> WorkflowReplayer.replayWorkflowExecution(file(name).toFile(), workflow))
        .doesNotThrowAnyException();
  }

  static void assertDoesNotReplay(String name, Class<?> workflow) {
    assertThatThrownBy(
            () -> WorkflowReplayer.replayWorkflowExecution(file(name).toFile(), workflow))
        .hasMessageContaining("replay");
  }

  private static Path file(String name) {
    return RECORDED.resolve(name + ".json");
  }
}
