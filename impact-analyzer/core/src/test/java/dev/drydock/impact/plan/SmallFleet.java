package dev.drydock.impact.plan;

import dev.drydock.impact.core.Amount;
import dev.drydock.impact.core.Blackout;
import dev.drydock.impact.core.Calendar;
import dev.drydock.impact.core.DesiredInstances;
import dev.drydock.impact.core.DisruptionInterval;
import dev.drydock.impact.core.DisruptionRate;
import dev.drydock.impact.core.Domain;
import dev.drydock.impact.core.MaxDomainsInFlight;
import dev.drydock.impact.core.MaxUnavailable;
import dev.drydock.impact.core.MinAvailable;
import dev.drydock.impact.core.MinCapacity;
import dev.drydock.impact.core.Policies;
import dev.drydock.impact.core.Policy;
import dev.drydock.impact.core.Rule;
import dev.drydock.impact.core.WeeklyWindow;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * A small random fleet with policies and rollouts, as plain data.
 *
 * @param minutes how long work on each host takes
 * @param racks the label rack of each host; empty for none
 * @param placed what runs where
 * @param down hosts that are down already and until which minute; -1 for good
 * @param past how many minutes ago an instance, by its place in {@code placed}, was taken down
 * @param rollouts the hosts of each, and how many of them are canaries
 */
record SmallFleet(
    List<Integer> minutes,
    List<String> racks,
    List<Placed> placed,
    List<Policy> policies,
    Set<String> allOrNone,
    Map<Integer, Integer> down,
    Map<Integer, Integer> past,
    int hostsMost,
    List<Wanted> rollouts) {

  record Placed(String application, int host, String zone, int capacity) {}

  record Wanted(List<Integer> hosts, int canaries, int priority) {}

  static final Instant BEGIN = Instant.parse("2026-06-01T10:00:00Z");

  static SmallFleet random(RandomGenerator random) {
    int hosts = 1 + random.nextInt(9);
    int applications = 1 + random.nextInt(4);
    List<Integer> minutes = new ArrayList<>();
    List<String> racks = new ArrayList<>();
    List<Placed> placed = new ArrayList<>();
    Map<Integer, Integer> down = new HashMap<>();
    List<Wanted> rollouts = new ArrayList<>(List.of(wanted(random), wanted(random)));
    for (int h = 0; h < hosts; h++) {
      minutes.add(1 + random.nextInt(6) * 10);
      racks.add(random.nextInt(30) == 0 ? "" : "r" + random.nextInt(3));
      for (int a = 0; a < applications; a++) {
        for (int n = random.nextInt(3) / 2 + (random.nextInt(3) == 0 ? 1 : 0); n > 0; n--) {
          placed.add(
              new Placed(
                  "a" + a,
                  h,
                  random.nextInt(40) == 0 ? "" : "z" + random.nextInt(3),
                  random.nextInt(3) == 0 ? 1 + random.nextInt(9) : 4));
        }
      }
      if (random.nextInt(12) == 0) {
        down.put(h, random.nextBoolean() ? -1 : random.nextInt(60));
      } else if (random.nextInt(8) != 0) {
        rollouts.get(random.nextInt(4) / 3).hosts().add(h);
      }
    }
    List<Policy> policies = new ArrayList<>();
    Set<String> allOrNone = new HashSet<>();
    for (int a = 0; a < applications; a++) {
      if (random.nextInt(30) != 0) {
        policies.add(policy(random, "a" + a, hosts));
      }
      if (random.nextInt(6) == 0) {
        allOrNone.add("a" + a);
      }
    }
    int most = random.nextInt(5) == 0 ? 1 + random.nextInt(3) : Integer.MAX_VALUE;
    return new SmallFleet(
        minutes, racks, placed, policies, allOrNone, down, Map.of(), most, rollouts);
  }

  /** The same, with things taken down before: near the times that rules ask for. */
  static SmallFleet randomWithPast(RandomGenerator random) {
    SmallFleet world = random(random);
    Map<Integer, Integer> past = new HashMap<>();
    for (int i = 0; i < world.placed().size(); i++) {
      if (random.nextInt(3) == 0) {
        past.put(i, random.nextInt(4) == 0 ? 1380 + random.nextInt(120) : random.nextInt(100));
      }
    }
    return world.withPast(past);
  }

  SmallFleet withPlaced(List<Placed> others) {
    return new SmallFleet(
        minutes, racks, others, policies, allOrNone, down, past, hostsMost, rollouts);
  }

  SmallFleet withPolicies(List<Policy> others) {
    return new SmallFleet(
        minutes, racks, placed, others, allOrNone, down, past, hostsMost, rollouts);
  }

  SmallFleet withDown(Map<Integer, Integer> others) {
    return new SmallFleet(
        minutes, racks, placed, policies, allOrNone, others, past, hostsMost, rollouts);
  }

  SmallFleet withPast(Map<Integer, Integer> others) {
    return new SmallFleet(
        minutes, racks, placed, policies, allOrNone, down, others, hostsMost, rollouts);
  }

  SmallFleet withHostsMost(int most) {
    return new SmallFleet(minutes, racks, placed, policies, allOrNone, down, past, most, rollouts);
  }

  SmallFleet withRollouts(List<Wanted> others) {
    return new SmallFleet(
        minutes, racks, placed, policies, allOrNone, down, past, hostsMost, others);
  }

  private static Wanted wanted(RandomGenerator random) {
    return new Wanted(new ArrayList<>(), random.nextInt(4) == 0 ? 1 : 0, random.nextInt(2));
  }

  private static Policy policy(RandomGenerator random, String application, int hosts) {
    List<Rule> rules = new ArrayList<>();
    for (int r = random.nextInt(3) / 2; r >= 0; r--) {
      rules.add(
          switch (random.nextInt(11)) {
            case 0, 1, 2 -> new MaxUnavailable(new Amount.Count(1 + random.nextInt(3)));
            case 3 -> new MaxUnavailable(new Amount.Percent(20 + random.nextInt(60)));
            case 4 -> new MinAvailable(random.nextInt(hosts));
            case 5, 6 -> new MaxDomainsInFlight(new Domain.Zone(), 1 + random.nextInt(2));
            case 7 -> new MaxDomainsInFlight(new Domain.Label("rack"), 1 + random.nextInt(2));
            case 8 -> new MinCapacity(capacity(random, hosts));
            case 9 ->
                new DisruptionRate(new Amount.Count(1 + random.nextInt(4)), minutes(random, 90));
            default -> calendar(random);
          });
    }
    if (random.nextInt(5) == 0) {
      rules.add(new DisruptionInterval(Duration.ofHours(24)));
    }
    DesiredInstances desiredInstances =
        random.nextInt(8) == 0
            ? new DesiredInstances.Exactly(random.nextInt(hosts + 3))
            : new DesiredInstances.FromScheduler();
    return with(application, rules, desiredInstances);
  }

  static Policy with(String application, List<Rule> rules, DesiredInstances desiredInstances) {
    return new Policy(
        "p-" + application,
        1,
        "team",
        List.of(application),
        rules,
        desiredInstances,
        Duration.ofMinutes(1),
        Duration.ofMinutes(5));
  }

  private static Amount capacity(RandomGenerator random, int hosts) {
    return random.nextBoolean()
        ? new Amount.Percent(40 + random.nextInt(55))
        : new Amount.Count(random.nextInt(3 * hosts));
  }

  private static Duration minutes(RandomGenerator random, int most) {
    return Duration.ofMinutes(1 + random.nextInt(most));
  }

  private static Calendar calendar(RandomGenerator random) {
    LocalTime from = LocalTime.of(9, 0).plusMinutes(random.nextInt(240));
    ZoneId zone = ZoneId.of(random.nextBoolean() ? "UTC" : "America/New_York");
    WeeklyWindow weeklyWindow =
        new WeeklyWindow(
            zone, EnumSet.allOf(DayOfWeek.class), from, from.plusMinutes(30 + random.nextInt(200)));
    LocalDateTime off = LocalDateTime.of(2026, 6, 1, 10, 0).plusMinutes(random.nextInt(120));
    Blackout blackout =
        new Blackout(ZoneId.of("UTC"), off, off.plusMinutes(1 + random.nextInt(60)), "sale");
    return new Calendar(
        random.nextInt(3) == 0 ? List.of() : List.of(weeklyWindow),
        random.nextInt(2) == 0 ? List.of() : List.of(blackout),
        minutes(random, 40));
  }

  Policies policiesInForce() {
    Map<String, Policy> byApplication = new HashMap<>();
    policies.forEach(p -> p.applications().forEach(a -> byApplication.put(a, p)));
    return new Policies(byApplication, Map.of());
  }

  PlanInput situation() {
    CompactFleet.Builder fleet = new CompactFleet.Builder(Duration.ofHours(1));
    for (int h = 0; h < minutes.size(); h++) {
      int host = fleet.host("h" + h);
      fleet.lasts(host, Duration.ofMinutes(minutes.get(h)));
      fleet.label(host, "rack", racks.get(h));
    }
    placed.forEach(
        p ->
            fleet.instance(
                p.host(), fleet.application(p.application()), fleet.zone(p.zone()), p.capacity()));
    Map<Integer, Long> downUntil = new HashMap<>();
    down.forEach(
        (host, until) -> downUntil.put(host, until < 0 ? PlanInput.FOR_GOOD : until * 60_000L));
    List<PlannedRollout> wanted = new ArrayList<>();
    for (Wanted one : rollouts) {
      wanted.add(
          new PlannedRollout(
              "r" + wanted.size(),
              one.priority(),
              Duration.ZERO,
              one.hosts().stream().mapToInt(h -> h).toArray(),
              one.canaries(),
              Duration.ofMinutes(15)));
    }
    CompactFleet compact = fleet.build();
    List<PriorDisruption> disrupted = new ArrayList<>();
    past.forEach(
        (at, ago) ->
            disrupted.add(
                new PriorDisruption(
                    placed.get(at).host(),
                    compact.applicationNumber(placed.get(at).application()),
                    ago * 60_000L)));
    disrupted.sort(Comparator.comparingLong(PriorDisruption::agoMillis).reversed());
    return new PlanInput(
        compact,
        policiesInForce(),
        BEGIN,
        allOrNone,
        downUntil,
        disrupted,
        hostsMost,
        Integer.MAX_VALUE,
        wanted);
  }
}
