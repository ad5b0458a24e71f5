package dev.drydock.lock.soak;

import dev.drydock.lock.core.MarkSequence;
import dev.drydock.lock.etcd.EtcdLocks;
import dev.drydock.lock.etcd.testkit.FakeCandidates;
import dev.drydock.platform.metrics.Metrics;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One process of a soak: {@code grantor} or {@code clients}, then its settings. Lines on standard
 * input: {@code clock SECONDS} sets its wall clock ahead, {@code freeze REASON} and {@code
 * unfreeze} are for the fleet brake, {@code drain} ends clients once each has released what it
 * waits for. The end of standard input ends the process at once, so that none outlives its harness.
 */
public final class Main {
  private static final Duration START = Duration.ofSeconds(60);

  private final Settings settings;
  private final JumpingClock clock = new JumpingClock();

  private Main(Settings settings) {
    this.settings = settings;
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments.length == 0) {
      throw new IllegalArgumentException("say which process: grantor or clients");
    }
    Main main = new Main(Settings.of(Arrays.asList(arguments).subList(1, arguments.length)));
    switch (arguments[0]) {
      case "grantor" -> main.grantor();
      case "clients" -> main.clients();
      default -> throw new IllegalArgumentException("there is no process '" + arguments[0] + "'");
    }
  }

  /** Goes on granting once its own clients have ended. */
  private void grantor() throws IOException {
    try (EtcdLocks locks = open();
        History history = new History(settings.path("history"))) {
      Set<String> counted = Set.copyOf(settings.places().busy());
      locks.startGrantor(new AtMost(settings.number("budget"), counted), new FakeCandidates());
      Clients clients = new Clients(settings, locks, clock, history);
      clients.start();
      Thread.ofPlatform().daemon().start(() -> tellDrained(clients, history));
      endWithStandardInput(clients, new Freezer(settings.process(), locks.brake(), history));
    }
  }

  private void tellDrained(Clients clients, History history) {
    try {
      clients.join();
      history.tell(settings.process(), "drained", settings.process(), Map.of());
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  private void clients() throws IOException, InterruptedException {
    try (EtcdLocks locks = open();
        History history = new History(settings.path("history"))) {
      Clients clients = new Clients(settings, locks, clock, history);
      clients.start();
      Freezer freezer = new Freezer(settings.process(), locks.brake(), history);
      Thread.ofPlatform().daemon().start(() -> endWithStandardInput(clients, freezer));
      clients.join();
    }
  }

  private void endWithStandardInput(Clients clients, Freezer freezer) {
    try {
      listen(clients, freezer);
    } catch (IOException unreadable) {
      System.err.println("standard input cannot be read: " + unreadable);
    }
    Runtime.getRuntime().halt(1);
  }

  /** The members may be slow while everybody starts. */
  private EtcdLocks open() {
    return Errand.repeat(
        () -> EtcdLocks.open(settings.etcd(), marks(), clock, new Metrics()), START);
  }

  /** All processes of the machine draw from its one monotonic clock. */
  private static MarkSequence marks() {
    AtomicLong last = new AtomicLong();
    return () -> last.updateAndGet(before -> Math.max(before + 1, System.nanoTime()));
  }

  private void listen(Clients clients, Freezer freezer) throws IOException {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.equals("drain")) {
        clients.drain();
      } else if (line.startsWith("freeze ")) {
        freezer.freeze(line.substring("freeze ".length()));
      } else if (line.equals("unfreeze")) {
        freezer.unfreeze();
      } else if (line.startsWith("clock ")) {
        clock.setAhead(Duration.ofSeconds(Long.parseLong(line.substring("clock ".length()))));
      } else {
        throw new IllegalArgumentException("'" + line + "' is no command");
      }
    }
  }
}
