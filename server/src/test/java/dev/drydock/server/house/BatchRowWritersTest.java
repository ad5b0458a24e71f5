package dev.drydock.server.house;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.server.house.BatchRowWriters.Write;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Only the interpreter moves a batch. */
final class BatchRowWritersTest {
  private static final List<Write> WRITES =
      BatchRowWriters.in(Path.of("../orchestrator/src/main/java/dev/drydock/orchestrator"));

  @Test
  void nothingElseWritesTheRowsOfBatches() {
    assertThat(WRITES).filteredOn(write -> !write.allowed()).isEmpty();
  }

  @Test
  void nothingIsListedThatDoesNotWriteThem() {
    assertThat(BatchRowWriters.needless(WRITES)).isEmpty();
  }

  /** Were the interpreter somewhere else, the rule would have nothing to say of it. */
  @Test
  void theInterpreterIsFound() {
    assertThat(WRITES)
        .filteredOn(write -> write.file().startsWith("batch/"))
        .extracting(Write::table)
        .contains("grants", "jobs", "checks", "batch_hooks", "decisions")
        .contains("remediations", "remediation_steps", "host_upgrades");
  }

  @Test
  void noticesWhatIsPlanted() {
    List<Write> planted =
        BatchRowWriters.in(Path.of("src/test/java/dev/drydock/server/planted/orchestrator"));
    assertThat(planted).noneMatch(Write::allowed);
    assertThat(planted)
        .extracting(Write::toString)
        .containsExactly(
            "store/WritesBatchRows.java:5 writes grants",
            "store/WritesBatchRows.java:8 writes jobs",
            "store/WritesBatchRows.java:9 writes decisions",
            "store/WritesBatchRows.java:12 writes jobs",
            "store/WritesBatchRows.java:13 writes checks");
  }
}
