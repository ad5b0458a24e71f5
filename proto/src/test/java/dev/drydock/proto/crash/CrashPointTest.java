package dev.drydock.proto.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CrashPointTest {
  private static final int KILLED = 128 + 9;

  @TempDir private Path folder = Path.of("");

  /** Reaches two points and tells which of them it survived. */
  static final class Program {
    public static void main(String[] arguments) {
      CrashPoint.stateDirectory(Path.of(arguments[0]));
      CrashPoint.reach("first");
      System.out.println("survived first");
      CrashPoint.reach("second");
      System.out.println("survived second");
    }
  }

  @Test
  void diesAtTheNamedPointOnceAndLeavesItsMark() throws Exception {
    assertThat(run("second")).isEqualTo(KILLED + ": survived first\n");
    assertThat(folder.resolve("run/crash-hit-second")).exists();
    assertThat(run("second")).isEqualTo("0: survived first\nsurvived second\n");
  }

  @Test
  void diesAtEachOfSeveralNamedPoints() throws Exception {
    assertThat(run("second,first")).isEqualTo(KILLED + ": ");
    assertThat(run("second,first")).isEqualTo(KILLED + ": survived first\n");
    assertThat(run("second,first")).isEqualTo("0: survived first\nsurvived second\n");
  }

  @Test
  void survivesPointsNobodyNamed() throws Exception {
    assertThat(run("")).isEqualTo("0: survived first\nsurvived second\n");
    assertThat(folder.resolve("run")).doesNotExist();
  }

  private String run(String point) throws Exception {
    Path output = folder.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Program.class.getName(),
            folder.toString());
    builder.environment().put("DRYDOCK_CRASH_AT", point);
    builder.redirectErrorStream(true).redirectOutput(output.toFile());
    Process process = builder.start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return process.exitValue() + ": " + Files.readString(output);
  }
}
