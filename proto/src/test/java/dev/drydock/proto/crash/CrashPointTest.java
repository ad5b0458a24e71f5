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

  @Test
  void diesOrStandsWhereItIsOrderedWhileItRuns() throws Exception {
    Path run = Files.createDirectories(folder.resolve("run"));
    assertThat(run("ordered")).as("nothing is ordered").startsWith("0: ");
    Files.writeString(run.resolve("crash-order-second"), "die");
    assertThat(run("ordered")).isEqualTo(KILLED + ": survived first\n");
    assertThat(run.resolve("crash-met-second")).exists();
    assertThat(run("ordered")).as("once").startsWith("0: ");

    Files.writeString(run.resolve("crash-order-first"), "stand");
    Process standing = start("ordered");
    Path met = run.resolve("crash-met-first");
    while (!Files.exists(met)) {
      assertThat(standing.isAlive()).isTrue();
      standing.waitFor(20, TimeUnit.MILLISECONDS);
    }
    assertThat(Files.readString(folder.resolve("output"))).isEmpty();
    Files.delete(met);
    assertThat(standing.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(standing.exitValue()).isZero();
  }

  /** The control: what is ordered of a process that takes no orders. */
  @Test
  void takesNoOrdersUnlessItIsTold() throws Exception {
    Path run = Files.createDirectories(folder.resolve("run"));
    Files.writeString(run.resolve("crash-order-first"), "die");
    assertThat(run("second")).isEqualTo(KILLED + ": survived first\n");
  }

  private String run(String point) throws Exception {
    Process process = start(point);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return process.exitValue() + ": " + Files.readString(folder.resolve("output"));
  }

  private Process start(String point) throws Exception {
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
    return builder.start();
  }
}
