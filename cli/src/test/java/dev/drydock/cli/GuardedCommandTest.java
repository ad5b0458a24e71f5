package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Once it is closed nothing of the command is left, with its guard or without. */
final class GuardedCommandTest {
  private static final String TREE = "sleep 300 & echo $! >child; echo $$ >leader; wait";

  @TempDir Path home;

  private GuardedCommand start(String script) {
    GuardedCommand started =
        new GuardedCommand(
            List.of("/bin/sh", "-c", "cd " + home + "; " + script),
            Map.of(),
            Duration.ofSeconds(2),
            Duration.ofMinutes(5));
    OtherProcess.until("it runs", () -> pids().filter(OtherProcess::alive).count() == 2);
    return started;
  }

  private Stream<Long> pids() {
    return Stream.of("leader", "child").flatMap(name -> pid(home.resolve(name)).stream());
  }

  private static List<Long> pid(Path file) {
    try {
      String text = Files.readString(file).strip();
      return text.isEmpty() ? List.of() : List.of(Long.parseLong(text));
    } catch (IOException notYet) {
      return List.of();
    }
  }

  private static ProcessHandle guard() {
    return ProcessHandle.current()
        .descendants()
        .filter(one -> one.info().commandLine().orElse("").contains("kill -KILL"))
        .findFirst()
        .orElseThrow();
  }

  private void killGuard() throws Exception {
    ProcessHandle guard = guard();
    guard.destroyForcibly();
    guard.onExit().get(20, TimeUnit.SECONDS);
  }

  @Test
  void theGuardEndsTheWholeGroup() {
    start(TREE).close();
    OtherProcess.until("the group ends", () -> pids().noneMatch(OtherProcess::alive));
  }

  @Test
  void withoutItsGuardTheGroupEndsAsWell() throws Exception {
    GuardedCommand started = start("trap 'echo >told; exit' TERM; " + TREE);
    killGuard();
    assertThat(pids()).allMatch(OtherProcess::alive);
    started.close();
    assertThat(pids()).noneMatch(OtherProcess::alive);
    assertThat(home.resolve("told")).as("TERM comes first").exists();
  }

  @Test
  void aGuardThatStandsStillIsNotWaitedForForEver() throws Exception {
    GuardedCommand started = start("trap '' TERM; " + TREE);
    OtherProcess.signal("STOP", guard().pid());
    started.close();
    assertThat(pids()).noneMatch(OtherProcess::alive);
  }
}
