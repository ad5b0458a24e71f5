package dev.drydock.impact.service;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.platform.testkit.TestDatabase;
import dev.drydock.proto.Json;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * {@code make bench-grantor}: what a pass of the grantor costs over the rows of fleets of growing
 * size, after a few hosts changed. No test: nothing is asserted of the figures.
 */
@Tag("stack")
@EnabledIfSystemProperty(named = "bench.grantor", matches = "true")
final class GrantorBench {
  private static final int[] FLEETS =
      Arrays.stream(System.getProperty("bench.hosts", "3000,30000,300000").split(","))
          .mapToInt(Integer::parseInt)
          .toArray();
  private static final int INSTANCES_PER_HOST = 10;
  private static final int INSTANCES_PER_APPLICATION = 300;
  private static final int CANDIDATES = 100;
  private static final int HELD = 200;
  private static final int CHANGED_HOSTS = 5;
  private static final int WARM_UPS = 5;
  private static final int ROUNDS = 15;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  @Test
  void measures() throws Exception {
    List<Map<String, Object>> fleets = new ArrayList<>();
    for (int hosts : FLEETS) {
      try (TestDatabase store = TestDatabase.create();
          ImpactAnalyzer analyzer =
              new ImpactAnalyzer(
                  store.database(),
                  () -> {},
                  new ImpactAnalyzer.Settings(
                      Duration.ofDays(1), Optional.empty(), Integer.MAX_VALUE))) {
        fill(store, hosts);
        fleets.add(measure(store, analyzer, hosts));
        System.out.println(fleets.getLast());
      }
    }
    String json = Json.writeTree(new TreeMap<>(Map.of("bench", "grantor", "fleets", fleets)));
    System.out.println(json);
    Files.writeString(Path.of("target", "bench-grantor.json"), json + "\n");
  }

  private static Map<String, Object> measure(
      TestDatabase store, ImpactAnalyzer analyzer, int hosts) {
    LockTable table = held();
    long before = heapMegabytes();
    long began = System.nanoTime();
    Admission.Round first = analyzer.admission().begin(table);
    double load = (System.nanoTime() - began) / 1e9;
    long kept = heapMegabytes() - before;
    judge(first, table, hosts);
    List<Cost> begins = new ArrayList<>();
    List<Cost> judgements = new ArrayList<>();
    for (int round = -WARM_UPS; round < ROUNDS; round++) {
      change(store, round + WARM_UPS, hosts);
      Cost start = Cost.now();
      Admission.Round pass = analyzer.admission().begin(table);
      Cost middle = Cost.now();
      judge(pass, table, hosts);
      Cost end = Cost.now();
      if (round >= 0) {
        begins.add(middle.since(start));
        judgements.add(end.since(middle));
      }
    }
    Map<String, Object> figures = new TreeMap<>();
    figures.put("hosts", hosts);
    figures.put("instances", hosts * INSTANCES_PER_HOST);
    figures.put("firstLoadSeconds", rounded(load));
    figures.put("heapMegabytes", kept);
    figures.put("beginMillis", median(begins.stream().map(Cost::wall).toList()));
    figures.put("beginCpuMillis", median(begins.stream().map(Cost::cpu).toList()));
    figures.put("judgeMillis", median(judgements.stream().map(Cost::wall).toList()));
    figures.put("judgeCpuMillis", median(judgements.stream().map(Cost::cpu).toList()));
    return figures;
  }

  /** On the wall and of this thread, in milliseconds. */
  private record Cost(double wall, double cpu) {
    static Cost now() {
      return new Cost(System.nanoTime() / 1e6, THREADS.getCurrentThreadCpuTime() / 1e6);
    }

    Cost since(Cost then) {
      return new Cost(wall - then.wall, cpu - then.cpu);
    }
  }

  private static LockTable held() {
    Map<String, LockRecord> locks = new HashMap<>();
    for (int host = 1; host <= HELD; host++) {
      locks.put("h" + host, Rows.hold("g" + host, "h" + host));
    }
    return new LockTable(1, locks, List.of(), Map.of(), Set.of());
  }

  private static void judge(Admission.Round round, LockTable table, int hosts) {
    for (int candidate = 0; candidate < CANDIDATES; candidate++) {
      String host = "h" + (HELD + 1 + candidate * (hosts - HELD) / CANDIDATES);
      round.judge(List.of(host), List.of(), table.locks().values());
    }
  }

  /** What the end of some batches leaves: an effect, and a report of what runs on the hosts. */
  private static void change(TestDatabase store, int round, int hosts) {
    for (int changed = 1; changed <= CHANGED_HOSTS; changed++) {
      String host = "h" + ((round * CHANGED_HOSTS + changed) * 7919 % hosts + 1);
      store
          .jdbi()
          .useTransaction(
              handle -> {
                handle.execute("UPDATE hosts SET effect_mark = 1 WHERE name = ?", host);
                handle.execute(
                    "UPDATE instances SET mark = mark + 1, observed_at = now() WHERE host = ?",
                    host);
              });
    }
  }

  private static void fill(TestDatabase store, int hosts) {
    store
        .jdbi()
        .useHandle(
            handle -> {
              unhurried(handle);
              for (String sql : statements(hosts)) {
                handle.execute(sql);
              }
            });
  }

  /** Millions of rows take longer than a statement of the server may. */
  private static void unhurried(Handle handle) {
    try {
      handle.getConnection().setNetworkTimeout(Runnable::run, 0);
    } catch (SQLException refused) {
      throw new IllegalStateException("the connection keeps its time-out", refused);
    }
  }

  private static List<String> statements(int hosts) {
    int applications = Math.max(1, hosts * INSTANCES_PER_HOST / INSTANCES_PER_APPLICATION);
    String policy =
        Rows.policy("p", "sre", "[APPLICATION]", "[{maxUnavailable: 10%}, {maxZonesInFlight: 3}]")
            + "  health: {maxAge: 24h}\n";
    return List.of(
        """
        WITH issued AS (INSERT INTO marks (source) VALUES ('static') RETURNING mark)
        INSERT INTO sources (source, last_mark) SELECT 'static', mark FROM issued
        """,
        """
        INSERT INTO hosts (name, address, scheduler, hardware_class, labels, source, observed_at)
        SELECT 'h' || n, '10.0.0.1', 'static', 'gen' || n %% 4,
               jsonb_build_object('rack', 'r' || n / 40), 'static', now()
        FROM generate_series(1, %d) n
        """
            .formatted(hosts),
        """
        INSERT INTO instances (id, application, host, zone, health, source, mark, observed_at)
        SELECT 'app-' || (n * 7 + i * 1009) %% %d || '-' || n || '-' || i,
               'app-' || (n * 7 + i * 1009) %% %d, 'h' || n, 'z' || n %% 3, 'Healthy', 'static', 1,
               now()
        FROM generate_series(1, %d) n, generate_series(1, %d) i
        """
            .formatted(applications, applications, hosts, INSTANCES_PER_HOST),
        """
        INSERT INTO policies (name, version, team, yaml, created_by)
        SELECT 'p' || n, 1, 'sre', replace(replace($$%s$$, 'APPLICATION', 'app-' || n), ' p,',
               ' p' || n || ','), 'sre'
        FROM generate_series(0, %d - 1) n
        """
            .formatted(policy, applications),
        "INSERT INTO policy_applications SELECT 'app-' || n, 'p' || n FROM generate_series(0, %d - 1) n"
            .formatted(applications),
        "VACUUM ANALYZE hosts",
        "VACUUM ANALYZE instances",
        "VACUUM ANALYZE policies");
  }

  private static long heapMegabytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1_000_000;
  }

  private static double median(List<Double> values) {
    return rounded(values.stream().sorted().toList().get(values.size() / 2));
  }

  private static double rounded(double value) {
    return Math.round(value * 10) / 10.0;
  }
}
