package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The program in a process of its own, which can be told to end, and what becomes of processes. */
final class OtherProcess {
  private OtherProcess() {}

  /** What it prints goes to the file {@code log}. */
  static Process drydock(FakeServer server, Path home, List<String> words) throws IOException {
    Path token = Files.writeString(home.resolve("token"), "t0ken");
    List<String> line =
        new ArrayList<>(
            List.of(
                // A shell that runs the tests in the background has them ignore it.
                "env",
                "--default-signal=INT",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.drydock.cli.Main"));
    line.addAll(words);
    ProcessBuilder builder = new ProcessBuilder(line);
    builder.environment().put("DRYDOCK_URL", server.url());
    builder.environment().put("DRYDOCK_TOKEN_FILE", token.toString());
    return builder.redirectErrorStream(true).redirectOutput(home.resolve("log").toFile()).start();
  }

  static boolean alive(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      return !stat.substring(stat.lastIndexOf(')') + 2).startsWith("Z");
    } catch (IOException none) {
      return false;
    }
  }

  static void signal(String name, long pid) throws Exception {
    assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor())
        .isZero();
  }

  static void until(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofSeconds(40).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(50_000_000);
    }
  }
}
