package dev.drydock.impact.plan;

import dev.drydock.impact.fleet.CsvFleet;
import dev.drydock.impact.fleet.PublishedDurations;
import dev.drydock.impact.fleet.PublishedFleet;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * {@code make bench-planner}: how much the planner costs as fleets grow, and how good its plans
 * are. No test: nothing is asserted of the figures. Times are CPU times of the one thread that
 * works.
 */
@EnabledIfSystemProperty(named = "bench.planner", matches = "true")
final class PlannerBench {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final long HOUR = 3_600_000;
  private static final Path DATA = Path.of("target", "bench-planner");

  /** Shortest schedules known of the published fleets, in mean host durations. */
  private static final Map<String, Double> BEST_KNOWN =
      new TreeMap<>(
          Map.of(
              "a1_3", 23.59, "a1_4", 24.02, "a2_2", 24.10, "a2_3", 21.68, "a2_4", 26.99, "a2_5",
              35.06));

  /** What one run through a fleet cost. */
  private record Cost(
      int hosts,
      int instances,
      double loadSeconds,
      long heapMb,
      double checksPerSecond,
      Decisions decisions) {}

  @Test
  void measures() throws Exception {
    Files.createDirectories(DATA);
    cost(3_000); // Warms up; told again below.
    cost(30_000);
    List<Cost> costs = new ArrayList<>();
    for (int hosts : new int[] {3_000, 30_000, 300_000}) {
      costs.add(cost(hosts));
      print(costs.getLast());
    }
    Cost last = costs.getLast();
    double[] small = ways(2_000);
    double[] large = ways(100_000);
    final double alike = shapes();
    String fleets = System.getProperty("bench.fleets", "");
    String published = fleets.isEmpty() ? "null" : "%.4f".formatted(published(Path.of(fleets)));
    String json =
        String.format(
            Locale.ROOT,
            "{\"bench\":\"planner\",\"hosts\":%d,\"instances\":%d,\"heap_mb\":%d,\"load_s\":%.2f,"
                + "\"checks_per_cpu_s\":%.0f,\"decision_cpu_p99_ms\":%.4f,\"makespan_over_bound_2k\":%.4f,"
                + "\"makespan_over_bound_100k\":%.4f,\"waves_over_streaming\":%.2f,\"published_over_best\":%s,"
                + "\"makespan_over_bound_alike_2k\":%.4f,%s}",
            last.hosts(),
            last.instances(),
            last.heapMb(),
            last.loadSeconds(),
            last.checksPerSecond(),
            last.decisions().millis(99),
            small[0],
            large[0],
            large[1],
            published,
            alike,
            decisions(costs));
    System.out.println(json);
    Files.writeString(Path.of("target", "bench-planner.json"), json + "\n");
  }

  private static PlanInput situation(SyntheticFleet made) throws Exception {
    Path file = made.write(DATA.resolve("fleet.csv"));
    CompactFleet fleet = CsvFleet.read(file, Duration.ofMinutes(30), _ -> true);
    return PlanInput.of(
        fleet, made.policies(), Instant.EPOCH, PlannedRollout.of("bench", fleet.allHosts()));
  }

  private static Cost cost(int hosts) throws Exception {
    SyntheticFleet made = new SyntheticFleet(hosts, 1, 10);
    Path file = made.write(DATA.resolve("fleet.csv"));
    long before = THREADS.getCurrentThreadCpuTime();
    CompactFleet fleet = CsvFleet.read(file, Duration.ofMinutes(30), _ -> true);
    PlanProblem planProblem =
        PlanProblemCompiler.compile(
            PlanInput.of(
                fleet,
                made.policies(),
                Instant.EPOCH,
                PlannedRollout.of("bench", fleet.allHosts())));
    final double load = (THREADS.getCurrentThreadCpuTime() - before) / 1e9;
    long[] millis = planProblem.millis();
    for (int unit = 0; unit < millis.length; unit++) {
      millis[unit] += unit * 7L % 1000; // Whole seconds would end hundreds at one moment.
    }
    OrderSimulation orderSimulation = new OrderSimulation(planProblem);
    int[] order =
        InitialOrders.heaviestFirst(planProblem, InitialOrders.conflictWeight(planProblem, 2));
    before = THREADS.getCurrentThreadCpuTime();
    final Schedule schedule = orderSimulation.run(order, Math.max(1, hosts / 1000));
    final double seconds = (THREADS.getCurrentThreadCpuTime() - before) / 1e9;
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    final long heap = (runtime.totalMemory() - runtime.freeMemory()) >> 20;
    return new Cost(
        fleet.hostCount(),
        fleet.instanceCount(),
        load,
        heap,
        schedule.checks() / seconds,
        Decisions.of(orderSimulation, order, Math.max(1, hosts / 1000)));
  }

  private static void print(Cost cost) {
    Decisions decisions = cost.decisions();
    System.out.printf(
        Locale.ROOT,
        "growth %,9d hosts %,10d instances: load %6.2f s, heap %5d MB, %,.0f checks per CPU second; a decision asks %d hosts p50, %d p99, %d at most, in %.4f ms p50, %.4f ms p99%n",
        cost.hosts(),
        cost.instances(),
        cost.loadSeconds(),
        cost.heapMb(),
        cost.checksPerSecond(),
        decisions.checks(50),
        decisions.checks(99),
        decisions.checks(100),
        decisions.millis(50),
        decisions.millis(99));
  }

  /** How decisions grow with the fleet, by what they ask and by what that takes. */
  private static String decisions(List<Cost> costs) {
    StringBuilder json = new StringBuilder();
    for (Cost cost : costs) {
      Decisions decisions = cost.decisions();
      json.append(
          String.format(
              Locale.ROOT,
              "\"decision_%dk\":{\"checks_p50\":%d,\"checks_p99\":%d,\"checks_max\":%d,\"cpu_p50_ms\":%.4f,\"cpu_p99_ms\":%.4f},",
              cost.hosts() / 1000,
              decisions.checks(50),
              decisions.checks(99),
              decisions.checks(100),
              decisions.millis(50),
              decisions.millis(99)));
    }
    Decisions least = costs.getFirst().decisions();
    Decisions most = costs.getLast().decisions();
    return json.append(
            String.format(
                Locale.ROOT,
                "\"decision_checks_p99_growth\":%.2f,\"decision_p99_growth\":%.2f",
                (double) most.checks(99) / least.checks(99),
                most.millis(99) / least.millis(99)))
        .toString();
  }

  /** Side by side; how far streaming is from the bound, and how much longer waves take than it. */
  private static double[] ways(int hosts) throws Exception {
    PlanInput planInput = situation(new SyntheticFleet(hosts, 1, 10));
    Plan plan = Planner.plan(planInput, SearchBudget.none());
    OtherWays others = new OtherWays(PlanProblemCompiler.compile(planInput));
    double bound = plan.bound().millis();
    long waves = others.barrierWaves();
    System.out.printf(
        Locale.ROOT,
        "%,d hosts, of the bound (%.1f h, %s): streaming %.4f, barrier waves %.2f, pools with maxUnavailable 1 %.2f, serial %.2f, one at a time %.1f%n",
        hosts,
        bound / HOUR,
        plan.bound().formula(),
        plan.makespanMillis() / bound,
        waves / bound,
        others.perPool() / bound,
        others.serial() / bound,
        others.oneAtATime() / bound);
    return new double[] {plan.makespanMillis() / bound, (double) waves / plan.makespanMillis()};
  }

  /**
   * Fleets of other shapes: the more alike applications are, the more of them decide the end.
   * Answers that of the last, whose applications are all of one size.
   */
  private static double shapes() throws Exception {
    double alike = 0;
    for (double spread : new double[] {1, 0.5, 0}) {
      for (int percent : new int[] {5, 10}) {
        Plan plan =
            Planner.plan(
                situation(new SyntheticFleet(2_000, spread, percent)),
                within(Duration.ofSeconds(1)));
        alike = 1 + plan.gap();
        System.out.printf(
            Locale.ROOT,
            "2,000 hosts, sizes of applications spread by %.1f, %d %% down: %.4f of the bound, %d hosts infeasible%n",
            spread,
            percent,
            alike,
            plan.infeasible().size());
      }
    }
    return alike;
  }

  private static SearchBudget within(Duration time) {
    long begin = System.nanoTime();
    return () -> System.nanoTime() - begin < time.toNanos();
  }

  /** The geometric mean of what plans take of the best schedules known, a second for each. */
  private static double published(Path folder) throws Exception {
    double logs = 0;
    int known = 0;
    for (Path model : models(folder)) {
      String name = model.getFileName().toString().replaceAll("model_|\\.txt", "");
      PublishedFleet read = PublishedFleet.read(model, Duration.ofHours(1));
      CompactFleet fleet =
          read.fleet().lasting(PublishedDurations.millis(read.fleet().hostCount(), HOUR));
      long began = System.nanoTime();
      Plan plan =
          Planner.plan(
              PlanInput.of(
                  fleet, read.policies(), Instant.EPOCH, PlannedRollout.of(name, fleet.allHosts())),
              within(Duration.ofSeconds(1)));
      double makespan = (double) plan.makespanMillis() / HOUR;
      Double best = BEST_KNOWN.get(name);
      System.out.printf(
          Locale.ROOT,
          "published %s: %d hosts, makespan %.2f, bound %.2f, best known %s, %.2f s%n",
          name,
          fleet.hostCount(),
          makespan,
          (double) plan.bound().millis() / HOUR,
          best == null ? "-" : best + " (%.3f of it)".formatted(makespan / best),
          (System.nanoTime() - began) / 1e9);
      if (best != null) {
        logs += Math.log(makespan / best);
        known++;
      }
    }
    return known == 0 ? Double.NaN : Math.exp(logs / known);
  }

  private static List<Path> models(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.getFileName().toString().matches("model_.*\\.txt"))
          .sorted()
          .toList();
    }
  }
}
