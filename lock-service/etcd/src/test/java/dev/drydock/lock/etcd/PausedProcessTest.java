package dev.drydock.lock.etcd;

import static dev.drydock.lock.etcd.EtcdTestBed.proposed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Holds.Settled;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What {@link TwoGrantorsTest} shows with a thread, with a whole process: stopped by the kernel
 * past its lease, right before the transaction of a grant, while this process takes over.
 */
@Tag("stack")
@Execution(ExecutionMode.CONCURRENT)
class PausedProcessTest {
  static final Duration PATIENCE = Duration.ofSeconds(60);

  private final EtcdTestBed etcdTestBed = new EtcdTestBed();
  private final List<String> said = new CopyOnWriteArrayList<>();
  private @Nullable Process grantor;

  @AfterEach
  void close() {
    if (grantor != null) {
      grantor.destroyForcibly();
    }
    etcdTestBed.close();
  }

  @Test
  void lateGrantOfStoppedProcessIsRefused() throws Exception {
    EtcdLocks locks = takeOverWhileStopped(true);

    says(PausedGrantorMain.REFUSED + " true");

    assertThat(locks.holds().table().locks()).containsOnlyKeys("h2");
    assertThat(locks.holds().voidGrant(proposed("g1", "h1"), "test"))
        .isInstanceOf(Settled.Voided.class);
  }

  @Test
  void controlWithoutTheCompareOfLeadershipGrantsTwice() throws Exception {
    EtcdLocks locks = takeOverWhileStopped(false);

    says(PausedGrantorMain.GRANTED);

    assertThat(locks.holds().table().locks())
        .as("two hosts of a budget of one")
        .containsOnlyKeys("h1", "h2");
  }

  private EtcdLocks takeOverWhileStopped(boolean fenced) throws Exception {
    Process process = start(fenced);
    says(PausedGrantorMain.ABOUT_TO_GRANT);
    signal(process, "STOP");
    Await.until("the process stands still", () -> stopped(process));
    process.outputWriter().write("go on\n");
    process.outputWriter().flush();

    EtcdLocks locks = etcdTestBed.open();
    locks.startGrantor(EtcdTestBed.atMost(1), etcdTestBed.candidates);
    Await.until("this process is elected once the lease ran out", PATIENCE, locks::leads);
    EtcdTestBed.take(locks, "t1", "h2");
    assertThat(stopped(process)).isTrue();

    signal(process, "CONT");
    return locks;
  }

  private Process start(boolean fenced) throws IOException {
    Process process =
        etcdTestBed
            .process(PausedGrantorMain.class, Boolean.toString(fenced))
            .redirectErrorStream(true)
            .start();
    grantor = process;
    Thread.ofVirtual().start(() -> listen(process));
    return process;
  }

  private void listen(Process process) {
    try (BufferedReader reader = process.inputReader()) {
      reader.lines().forEach(said::add);
    } catch (IOException | UncheckedIOException ended) {
      said.add("nothing more can be read: " + ended);
    }
  }

  private void says(String line) {
    try {
      Await.until("the process says '" + line + "'", PATIENCE, () -> said.contains(line));
    } catch (AssertionError never) {
      throw new AssertionError(never.getMessage() + "; it said " + said, never);
    }
  }

  private static void signal(Process process, String name) throws Exception {
    Process kill =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO().start();
    assertThat(kill.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(kill.exitValue()).isZero();
  }

  private static boolean stopped(Process process) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
      return stat.substring(stat.lastIndexOf(')') + 2).startsWith("T");
    } catch (IOException gone) {
      throw new UncheckedIOException(gone);
    }
  }
}
