package dev.drydock.orchestrator.core.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.core.model.Phase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * How hosts end when one thing goes wrong. The table of all exits is made from what is written
 * here, so that nobody has to explore twice; {@code -Dexits.write=true} brings it up to date.
 */
@Execution(ExecutionMode.CONCURRENT)
class TracesTest {
  private static final Path WRITTEN = Path.of("src/test/resources/exits.txt");

  @Test
  void whatIsWrittenIsWhatWasExplored() throws IOException {
    Traces ways = Traces.ways();

    if (Boolean.getBoolean("exits.write")) {
      Files.createDirectories(WRITTEN.getParent());
      Files.writeString(WRITTEN, ways.text());
    }

    assertThat(Files.readString(WRITTEN))
        .as(WRITTEN + " is not what was explored: run `make exits`")
        .isEqualTo(ways.text());
    assertThat(ways.ends().keySet()).containsAll(Phase.forward());
  }
}
