package dev.drydock.impact.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A small random fleet with policies and a request, as plain data for both the judge and its
 * checker.
 */
record RandomFleet(
    Map<String, SourceReport> reports,
    List<FleetHost> hosts,
    List<FleetInstance> instances,
    List<Policy> policies,
    Map<String, String> unreadable,
    Set<String> requested,
    Set<String> named,
    Set<String> held,
    List<Disruption> disruptions,
    ExternalAnswers outside) {

  static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");
  static final Duration REPORT_AGE_MAX = Duration.ofSeconds(30);

  Fleet fleet() {
    return new Fleet(NOW, REPORT_AGE_MAX, reports, hosts, instances, disruptions, outside);
  }

  Policies policiesInForce() {
    Map<String, Policy> byApplication = new HashMap<>();
    policies.forEach(p -> p.applications().forEach(a -> byApplication.put(a, p)));
    return new Policies(byApplication, unreadable);
  }

  DisruptionRequest request() {
    return new DisruptionRequest(requested, named, held);
  }

  RandomFleet withHosts(List<FleetHost> others) {
    return with(world -> world.hosts = others);
  }

  RandomFleet withInstances(List<FleetInstance> others) {
    return with(world -> world.instances = others);
  }

  RandomFleet withReports(Map<String, SourceReport> others) {
    return with(world -> world.reports = others);
  }

  RandomFleet withPolicies(List<Policy> others) {
    return with(world -> world.policies = others);
  }

  RandomFleet withHeld(Set<String> others) {
    return with(world -> world.held = others);
  }

  RandomFleet withRequested(Set<String> others) {
    return with(world -> world.requested = others);
  }

  RandomFleet withGates(Map<Gate, GateReading> others) {
    return with(world -> world.outside = new ExternalAnswers(others));
  }

  RandomFleet withDisruptions(List<Disruption> others) {
    return with(world -> world.disruptions = others);
  }

  private RandomFleet with(Consumer<Draft> change) {
    Draft draft = new Draft();
    change.accept(draft);
    return new RandomFleet(
        draft.reports,
        draft.hosts,
        draft.instances,
        draft.policies,
        unreadable,
        draft.requested,
        named,
        draft.held,
        draft.disruptions,
        draft.outside);
  }

  /** What may be different in a copy. */
  private final class Draft {
    private Map<String, SourceReport> reports = RandomFleet.this.reports;
    private List<FleetHost> hosts = RandomFleet.this.hosts;
    private List<FleetInstance> instances = RandomFleet.this.instances;
    private List<Policy> policies = RandomFleet.this.policies;
    private Set<String> requested = RandomFleet.this.requested;
    private Set<String> held = RandomFleet.this.held;
    private List<Disruption> disruptions = RandomFleet.this.disruptions;
    private ExternalAnswers outside = RandomFleet.this.outside;
  }

  /** Mostly healthy worlds near their budgets: far from them every bug would hide. */
  static RandomFleet random(RandomGenerator random) {
    Map<String, SourceReport> reports = new HashMap<>();
    reports.put("s0", new SourceReport(9, NOW.minusSeconds(age(random, 30))));
    if (random.nextInt(4) != 0) {
      reports.put("s1", new SourceReport(9, NOW.minusSeconds(random.nextInt(35))));
    }
    List<FleetHost> hosts = new ArrayList<>();
    int hostCount = 1 + random.nextInt(8);
    for (int h = 0; h < hostCount; h++) {
      String source = random.nextInt(5) == 0 ? "s1" : "s0";
      hosts.add(
          new FleetHost(
              "h" + h,
              source,
              random.nextInt(25) == 0,
              random.nextInt(8),
              random.nextInt(12) == 0 ? Map.of() : Map.of("rack", "r" + random.nextInt(3)),
              random.nextInt(4) == 0));
    }
    List<FleetInstance> instances = new ArrayList<>();
    int applicationCount = 1 + random.nextInt(3) / 2;
    for (int a = 0; a < applicationCount; a++) {
      for (int h = 0; h <= hostCount; h++) {
        // Host number hostCount does not exist: an instance on an unknown host must not count.
        boolean placed = h == hostCount ? random.nextInt(20) == 0 : random.nextInt(4) != 0;
        if (placed) {
          instances.add(instance(random, "a" + a, "h" + h));
        }
      }
    }
    Map<String, String> unreadable = new HashMap<>();
    List<Policy> policies = new ArrayList<>();
    for (int a = 0; a < applicationCount; a++) {
      switch (random.nextInt(16)) {
        case 0 -> unreadable.put("a" + a, "broken");
        case 1 -> {}
        default -> policies.add(policy(random, "a" + a, hostCount));
      }
    }
    Set<String> requested = subset(random, "h", hostCount + (random.nextInt(20) == 0 ? 1 : 0), 3);
    Set<String> named =
        random.nextInt(5) == 0 ? subset(random, "a", applicationCount, 2) : Set.of();
    return new RandomFleet(
        reports,
        hosts,
        instances,
        policies,
        unreadable,
        requested,
        named,
        subset(random, "h", hostCount, 4),
        disruptions(random, instances),
        new ExternalAnswers(gates(random)));
  }

  private static FleetInstance instance(RandomGenerator random, String application, String host) {
    Health health =
        switch (random.nextInt(12)) {
          case 0 -> Health.UNHEALTHY;
          case 1 -> Health.UNKNOWN;
          default -> Health.HEALTHY;
        };
    Instant observed = NOW.minusSeconds(age(random, 60));
    return new FleetInstance(
        application + "@" + host,
        application,
        host,
        random.nextInt(25) == 0 ? "" : "z" + random.nextInt(3),
        random.nextInt(3) == 0 ? 1 + random.nextInt(9) : 4,
        health,
        5 + random.nextInt(6),
        observed,
        random.nextInt(12) == 0);
  }

  /** Around the times rules ask for; an instance may have run on another host then. */
  private static List<Disruption> disruptions(
      RandomGenerator random, List<FleetInstance> instances) {
    List<Disruption> disruptions = new ArrayList<>();
    for (FleetInstance i : instances) {
      if (random.nextInt(3) == 0) {
        disruptions.add(
            new Disruption(
                i.id(),
                i.application(),
                random.nextInt(5) == 0 ? "h" + random.nextInt(8) : i.host(),
                NOW.minusSeconds(3_600L * random.nextInt(1, 4) + random.nextInt(-1, 2)),
                random.nextInt(3) == 0));
      }
    }
    return disruptions;
  }

  /** What may be said of the three gates there are; of one it may be that nobody asked. */
  private static Map<Gate, GateReading> gates(RandomGenerator random) {
    Map<Gate, GateReading> gates = new HashMap<>();
    for (int g = 0; g < 3; g++) {
      switch (random.nextInt(6)) {
        case 0 -> gates.put(gate(g), new GateReading.Unknown("garbage"));
        case 1 -> gates.put(gate(g), new GateReading.Fails(NOW, "is not true"));
        case 2 -> {}
        default -> gates.put(gate(g), new GateReading.Holds(NOW.minusSeconds(age(random, 30))));
      }
    }
    return gates;
  }

  private static Gate gate(int number) {
    return new Gate("up > " + number, Duration.ofMinutes(number));
  }

  /** Mostly believed; else just past the bound, or from a clock that was ahead. */
  private static int age(RandomGenerator random, int bound) {
    return switch (random.nextInt(20)) {
      case 0, 1 -> bound + 1;
      case 2 -> -5;
      case 3 -> -6;
      default -> random.nextInt(bound + 1);
    };
  }

  private static Policy policy(RandomGenerator random, String application, int hostCount) {
    List<Rule> rules = new ArrayList<>();
    int ruleCount = 1 + random.nextInt(3) / 2;
    for (int r = 0; r < ruleCount; r++) {
      rules.add(
          switch (random.nextInt(10)) {
            case 0 -> new MaxUnavailable(new Amount.Count(random.nextInt(hostCount + 1)));
            case 1 -> new MaxUnavailable(new Amount.Percent(random.nextInt(101)));
            case 2 -> new MinAvailable(random.nextInt(hostCount));
            case 3 -> new MaxDomainsInFlight(new Domain.Zone(), 1 + random.nextInt(3));
            case 4 -> new MaxDomainsInFlight(new Domain.Label("rack"), 1 + random.nextInt(3));
            case 5 -> new DisruptionInterval(hours(random));
            case 6 -> new DisruptionRate(few(random), hours(random));
            case 7 -> gate(random.nextInt(3));
            case 8 -> new MinCapacity(capacity(random, hostCount));
            default -> Calendars.random(random, NOW);
          });
    }
    DesiredInstances desiredInstances =
        random.nextInt(3) == 0
            ? new DesiredInstances.Exactly(random.nextInt(hostCount + 2))
            : new DesiredInstances.FromScheduler();
    return new Policy(
        "p-" + application,
        1,
        "team",
        List.of(application),
        rules,
        desiredInstances,
        Duration.ofSeconds(60),
        Duration.ofMinutes(5));
  }

  private static Amount capacity(RandomGenerator random, int hostCount) {
    return random.nextInt(3) == 0
        ? new Amount.Percent(random.nextInt(101))
        : new Amount.Count(random.nextInt(4 * hostCount));
  }

  private static Amount few(RandomGenerator random) {
    return random.nextInt(4) == 0
        ? new Amount.Percent(random.nextInt(101))
        : new Amount.Count(1 + random.nextInt(4));
  }

  private static Duration hours(RandomGenerator random) {
    return Duration.ofHours(random.nextInt(1, 4));
  }

  private static Set<String> subset(RandomGenerator random, String prefix, int of, int inverse) {
    Set<String> chosen = new HashSet<>();
    IntStream.range(0, of)
        .filter(_ -> random.nextInt(inverse) == 0)
        .forEach(i -> chosen.add(prefix + i));
    return chosen;
  }

  /** Worlds with one thing less. */
  Stream<RandomFleet> smaller() {
    return Stream.of(
            without(instances).map(this::withInstances),
            without(List.copyOf(held)).map(h -> withHeld(Set.copyOf(h))),
            without(List.copyOf(requested)).map(r -> withRequested(Set.copyOf(r))),
            without(disruptions).map(this::withDisruptions),
            without(hosts).map(this::withHosts))
        .flatMap(s -> s);
  }

  private static <T> Stream<List<T>> without(List<T> list) {
    return IntStream.range(0, list.size())
        .mapToObj(
            dropped -> {
              List<T> rest = new ArrayList<>(list);
              rest.remove(dropped);
              return List.copyOf(rest);
            });
  }
}
