package dev.drydock.platform.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.proto.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

final class LogConfiguratorTest {
  @TempDir private Path folder = Path.of("");

  /** Logs one line by each of the two ways. */
  static final class Program {
    private static final Logger log = LoggerFactory.getLogger("dev.drydock.Program");

    public static void main(String[] arguments) {
      try (var rollout = MDC.putCloseable(LogKeys.ROLLOUT, "r7");
          var host = MDC.putCloseable(LogKeys.HOST, "h01")) {
        log.info("drained {} in {} s", host == null ? "" : "h01", rollout == null ? 0 : 3);
      }
      log.debug("not worth a line");
      java.util.logging.Logger.getLogger("io.grpc").log(Level.WARNING, "from the old logger");
    }
  }

  @Test
  void writesOneJsonObjectPerLineWithItsContext() throws Exception {
    List<String> lines = run("json");
    assertThat(lines).hasSize(2);
    Map<String, Object> first = Json.readTree(lines.getFirst());
    assertThat(first)
        .containsEntry("message", "drained h01 in 3 s")
        .containsEntry("level", "INFO")
        .containsEntry("rollout", "r7")
        .containsEntry("host", "h01");
    assertThat(Json.readTree(lines.getLast()))
        .containsEntry("message", "from the old logger")
        .containsEntry("level", "WARN")
        .doesNotContainKey("rollout");
  }

  @Test
  void writesJsonWhenItsOutputIsNoTerminal() throws Exception {
    assertThat(run("")).allSatisfy(line -> assertThat(line).startsWith("{"));
  }

  @Test
  void writesTextForPeople() throws Exception {
    assertThat(run("text").getFirst())
        .contains("INFO")
        .contains("drained h01 in 3 s")
        .contains("rollout=r7")
        .doesNotContain("{");
  }

  private List<String> run(String kind) throws Exception {
    Path output = folder.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Program.class.getName());
    builder.environment().put("DRYDOCK_LOG", kind);
    builder.redirectErrorStream(true).redirectOutput(output.toFile());
    Process process = builder.start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return Files.readAllLines(output);
  }
}
