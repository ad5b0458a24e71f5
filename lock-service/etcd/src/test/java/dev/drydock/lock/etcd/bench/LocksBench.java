package dev.drydock.lock.etcd.bench;

import dev.drydock.lock.etcd.testkit.TestEtcd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * {@code make bench-locks}: acquiring and releasing against what etcd itself can do, on one etcd
 * with fsync on. No test: nothing is asserted of the figures.
 *
 * <p>Everything is measured in turn, round after round, and a ratio is that of its round, so that
 * whatever else the machine does falls on both sides; the median round is told.
 */
@Tag("stack")
@EnabledIfSystemProperty(named = "bench.locks", matches = "true")
final class LocksBench {
  /** Until all of what runs in each turn was compiled. */
  private static final int WARM_UPS = 8;

  /** The same of what takes few turns a second, in so many slices. */
  private static final int SLOW_WARM_UPS = 10;

  private static final int ROUNDS = Integer.getInteger("bench.rounds", 5);
  private static final Duration SLICE = Duration.ofMillis(Integer.getInteger("bench.millis", 3000));

  /** Measures only what this finds; the report then says NaN for what misses. */
  private static final Pattern ONLY = Pattern.compile(System.getProperty("bench.only", ""));

  private static final int CLIENTS = 64;
  private static final int MANY = 1000;
  private static final int[] WAITERS = {1, 100, 10_000};
  private static final int SET = 9;
  private static final Load.Figures NOTHING =
      new Load.Figures(0, Double.NaN, Double.NaN, Double.NaN);

  private final List<Map<String, Load.Figures>> rounds = new ArrayList<>();
  private ProcessHandle process = ProcessHandle.current();

  @Test
  void comparesWithPlainEtcd() throws Exception {
    Path data = Files.createDirectories(Path.of("target", "bench-etcd"));
    try (TestEtcd etcd = TestEtcd.startIn(data, "--max-txn-ops=4096");
        RawEtcd raw = new RawEtcd(etcd.endpoint());
        Subject subject = new Subject(etcd.endpoint())) {
      process = etcd.process();
      raw.prepareLeases(CLIENTS);
      System.out.println("data on " + Files.getFileStore(data).type() + ", fsync on");
      for (int i = 0; i < WARM_UPS; i++) {
        round(raw, subject, SLICE.dividedBy(2));
      }
      for (int i = 0; i < SLOW_WARM_UPS; i++) {
        contended(raw, subject, SLICE);
      }
      rounds.clear();
      for (int i = 0; i < ROUNDS; i++) {
        round(raw, subject, SLICE);
      }
      List<Growth> growth = new ArrayList<>();
      for (int waiters : ONLY.matcher("growth").find() ? WAITERS : new int[0]) {
        growth.add(Growth.measure(subject, waiters, SLICE));
        System.out.println("growth           " + growth.getLast());
      }
      report(growth);
    }
  }

  /** What two processes used of the CPU: the figure that a busy machine changes least. */
  private record Cpu(double hereMicros, double etcdMicros) {
    static Cpu now(ProcessHandle etcd) {
      return new Cpu(micros(ProcessHandle.current()), micros(etcd));
    }

    private static double micros(ProcessHandle process) {
      return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e3;
    }

    Cpu since(Cpu before) {
      return new Cpu(hereMicros - before.hereMicros, etcdMicros - before.etcdMicros);
    }
  }

  private void round(RawEtcd raw, Subject subject, Duration slice) {
    Map<String, Load.Figures> figures = new TreeMap<>();
    rounds.add(figures);
    measure("put 64", CLIENTS, slice, (client, turn) -> raw.put(client));
    measure(
        "pair1 64", CLIENTS, slice, (client, turn) -> subject.acquireAndRelease(own(client, 1)));
    measure(
        "pair9 64", CLIENTS, slice, (client, turn) -> subject.acquireAndRelease(own(client, SET)));
    measure(
        "jetcd 64", CLIENTS, slice, (client, turn) -> raw.lockAndUnlock("own" + client, client));
    measure("put 1000", MANY, slice, (client, turn) -> raw.put(client));
    measure("pair1 1000", MANY, slice, (client, turn) -> subject.acquireAndRelease(own(client, 1)));
    contended(raw, subject, slice);
    measure("put lone", 1, slice, (client, turn) -> raw.put(client));
    measure("jetcd lone", 1, slice, (client, turn) -> raw.lockAndUnlock("lone", client));
    measure("pair1 lone", 1, slice, (client, turn) -> subject.acquireAndRelease(own(0, 1)));
  }

  private void contended(RawEtcd raw, Subject subject, Duration slice) {
    measure("jetcd contended", CLIENTS, slice, (client, turn) -> raw.lockAndUnlock("one", client));
    measure(
        "contended", CLIENTS, slice, (client, turn) -> subject.acquireAndRelease(List.of("one")));
  }

  private void measure(String name, int clients, Duration slice, Load.Action action) {
    if (!ONLY.matcher(name).find()) {
      return;
    }
    Cpu before = Cpu.now(process);
    Load.Figures figures = Load.run(clients, slice, action);
    Cpu used = Cpu.now(process).since(before);
    rounds.getLast().put(name, figures);
    System.out.printf(
        Locale.ROOT,
        "%-16s %,10.0f /s   p50 %8.2f ms   p99 %8.2f ms   CPU per turn %6.0f us here %6.0f us etcd%n",
        name,
        figures.perSecond(),
        figures.p50Millis(),
        figures.p99Millis(),
        used.hereMicros() / figures.turns(),
        used.etcdMicros() / figures.turns());
  }

  private static List<String> own(int client, int hosts) {
    return IntStream.range(0, hosts).mapToObj(n -> "own-" + client + "-" + n).toList();
  }

  private void report(List<Growth> growth) throws IOException {
    String json =
        String.format(
            Locale.ROOT,
            "{\"bench\":\"locks\",\"pair1_over_put\":%.2f,\"pair9_over_put\":%.2f,"
                + "\"pair1_over_put_1000\":%.2f,\"handover_over_jetcd\":%.2f,\"raw_put_per_s\":%.0f,"
                + "\"raw_put_per_s_1000\":%.0f,\"lone_pair_over_jetcd\":%.2f,\"growth\":%s}",
            rate("pair1 64", "put 64"),
            rate("pair9 64", "put 64"),
            rate("pair1 1000", "put 1000"),
            rate("contended", "jetcd contended"),
            median(round -> of(round, "put 64").perSecond()),
            median(round -> of(round, "put 1000").perSecond()),
            median(
                round -> of(round, "pair1 lone").p50Millis() / of(round, "jetcd lone").p50Millis()),
            growth);
    System.out.println(json);
    Files.writeString(Path.of("target", "bench-locks.json"), json + "\n");
  }

  private double rate(String of, String over) {
    return median(round -> of(round, of).perSecond() / of(round, over).perSecond());
  }

  private double median(ToDoubleFunction<Map<String, Load.Figures>> figure) {
    double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
    return sorted[sorted.length / 2];
  }

  private static Load.Figures of(Map<String, Load.Figures> round, String name) {
    Load.Figures found = round.get(name);
    return found == null ? NOTHING : found;
  }
}
