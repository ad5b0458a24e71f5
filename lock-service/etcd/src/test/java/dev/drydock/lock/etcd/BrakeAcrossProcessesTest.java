package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.txn.Key;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Two processes take and release hosts as fast as they can, one of them being the grantor; a third,
 * this one, pulls the brake.
 */
@Tag("stack")
@Execution(ExecutionMode.CONCURRENT)
class BrakeAcrossProcessesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int SOME = 20;
  private static final Brake BRAKE = new Brake("sre", "bad kernel", Instant.EPOCH);

  private final EtcdTestBed etcdTestBed = new EtcdTestBed();
  private final List<Process> processes = new ArrayList<>();
  private final List<Long> granted = new CopyOnWriteArrayList<>();
  private final List<String> refused = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    processes.forEach(Process::destroyForcibly);
    etcdTestBed.close();
  }

  @Test
  void nobodyIsGrantedAfterTheAnswer() throws Exception {
    start("a");
    start("b");
    Await.until("hosts come and go", PATIENCE, () -> granted.size() > SOME);

    etcdTestBed.open().brake().pull(BRAKE);

    long pulled = etcdTestBed.direct().get(new Key.Brake()).orElseThrow().getModRevision();
    Await.until("all hear of it", PATIENCE, () -> refused.size() > SOME);
    assertThat(refused)
        .allMatch(reason -> reason.contains("frozen by sre (bad kernel)"))
        .anyMatch(reason -> reason.startsWith("a "))
        .anyMatch(reason -> reason.startsWith("b "));
    assertThat(granted).allMatch(token -> token < pulled);

    etcdTestBed.open().brake().lift(BRAKE, "sre", "kernel withdrawn");
    Await.until(
        "hosts come and go again",
        PATIENCE,
        () -> granted.stream().filter(token -> token > pulled).count() > SOME);
  }

  private void start(String name) throws IOException {
    Process process =
        etcdTestBed
            .process(BusyClientMain.class, name)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    processes.add(process);
    Thread.ofVirtual().start(() -> listen(process));
  }

  private void listen(Process process) {
    try (BufferedReader reader = process.inputReader()) {
      reader.lines().forEach(this::heard);
    } catch (IOException | UncheckedIOException ended) {
      processes.remove(process);
    }
  }

  private void heard(String line) {
    if (line.startsWith(BusyClientMain.GRANTED)) {
      granted.add(Long.parseLong(line.substring(BusyClientMain.GRANTED.length())));
    } else if (line.startsWith(BusyClientMain.REFUSED)) {
      refused.add(line.substring(BusyClientMain.REFUSED.length()));
    }
  }
}
