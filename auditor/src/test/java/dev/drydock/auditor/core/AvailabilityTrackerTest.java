package dev.drydock.auditor.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.auditor.core.BudgetRule.MaxDomains;
import dev.drydock.auditor.core.BudgetRule.MaxUnavailable;
import dev.drydock.auditor.core.BudgetRule.MaxZones;
import dev.drydock.auditor.core.BudgetRule.MinAvailable;
import dev.drydock.auditor.core.BudgetRule.MinCapacity;
import dev.drydock.auditor.core.BudgetRule.Share;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/**
 * What is kept up to date from moment to moment says what counting all of it anew says, over random
 * logs and moments in random order. {@code -Dprop.seed} repeats a run.
 */
final class AvailabilityTrackerTest {
  private static final Instant BEGIN = Instant.parse("2026-11-22T12:00:00Z");
  private static final Duration STALENESS = Duration.ofSeconds(30);
  private static final int SECONDS = 600;
  private static final int RUNS = 300;

  private long moments;
  private long counted;
  private long objected;

  @Test
  void saysWhatCountingAnewSays() {
    long base = Long.getLong("prop.seed", System.nanoTime());
    int runs = Integer.getInteger("prop.runs", RUNS);
    for (int i = 0; i < runs; i++) {
      long seed = base + i;
      compare(new Random(seed), "repeat: -Dprop.seed=%d -Dprop.runs=1".formatted(seed));
    }
    if (runs == RUNS) {
      assertThat(counted).as("moments at which somebody was counted").isGreaterThan(moments / 5);
      assertThat(objected).as("with objections").isBetween(moments / 10, moments * 9 / 10);
    }
  }

  private void compare(Random random, String repeat) {
    ApplicationLog log = log(random);
    KnownApplicationState knownApplicationState = new KnownApplicationState(log, STALENESS);
    InstanceAvailability instanceAvailability =
        new InstanceAvailability(log, knownApplicationState);
    AvailabilityTracker<Long> byRevision =
        AvailabilityTracker.byRevision(log, knownApplicationState, instanceAvailability);
    AvailabilityTracker<Instant> byTime =
        AvailabilityTracker.byTime(log, knownApplicationState, instanceAvailability);
    for (int i = 0; i < 60; i++) {
      Instant at = moment(random);
      long revision = random.nextInt(60);
      boolean exact = random.nextBoolean();
      Duration staleness = random.nextBoolean() ? STALENESS : Duration.ZERO;
      PolicyVersion policy = log.policies().get(random.nextInt(log.policies().size()));
      Set<String> down = random.nextBoolean() ? Set.of() : Set.of(host(random), "elsewhere");
      Set<String> surely =
          exact
              ? locked(log, entry -> entry.revision() <= revision)
              : locked(log, entry -> !entry.at().isAfter(ended(entry) ? at.plusSeconds(10) : at));
      Set<String> perhaps =
          exact
              ? surely
              : locked(log, entry -> !entry.at().isAfter(ended(entry) ? at : at.plusSeconds(10)));
      AvailabilityTracker<?> availabilityTracker =
          exact ? byRevision.to(at, revision) : byTime.to(at, at);
      String which = "%s at %s, %s".formatted(repeat, at, exact ? "revision " + revision : "");

      assertThat(availabilityTracker.surelyLocked()).as(which).isEqualTo(surely);
      for (int host = 0; host < HOSTS; host++) {
        String name = "h" + host;
        assertThat(availabilityTracker.isPerhapsLocked(name))
            .as(which)
            .isEqualTo(perhaps.contains(name));
        assertThat(availabilityTracker.concerns(List.of(name)))
            .as(which)
            .isEqualTo(
                knownApplicationState.allocated(at).stream()
                    .anyMatch(one -> one.host().equals(name)));
      }
      surely.addAll(down);
      perhaps.addAll(down);
      AvailabilitySnapshot anew =
          new AvailabilitySnapshot(
              0,
              0,
              knownApplicationState.allocated(at).stream()
                  .map(
                      state ->
                          AvailabilitySnapshot.One.of(
                              knownApplicationState,
                              state,
                              surely.contains(state.host()),
                              perhaps.contains(state.host()),
                              at,
                              staleness,
                              policy.healthAgeMax()))
                  .toList(),
              knownApplicationState.allocated(at.minus(staleness)).size());
      AvailabilitySnapshot kept =
          availabilityTracker.situation(at, staleness, policy.healthAgeMax(), down);
      assertThat(kept.objections(policy)).as(which).isEqualTo(anew.objections(policy));
      assertThat(kept.left() + kept.others().size()).as(which).isEqualTo(anew.others().size());
      moments++;
      counted += kept.left() > 0 ? 1 : 0;
      objected += kept.objections(policy).isEmpty() ? 0 : 1;
    }
  }

  private static boolean ended(LockEntry entry) {
    return entry.what().equals("Ended");
  }

  private static Set<String> locked(ApplicationLog log, Predicate<LockEntry> happened) {
    Map<String, String> held = new HashMap<>();
    for (LockEntry entry : log.locks()) {
      if (happened.test(entry)) {
        for (String host : entry.hosts()) {
          switch (entry.what()) {
            case "Granted", "Quarantined" -> held.put(host, entry.lock());
            case "Ended" -> held.remove(host, entry.lock());
            default -> {}
          }
        }
      }
    }
    return new HashSet<>(held.keySet());
  }

  private static final int HOSTS = 6;

  private static String host(Random random) {
    return "h" + random.nextInt(HOSTS);
  }

  private static Instant moment(Random random) {
    return BEGIN.plusSeconds(random.nextInt(SECONDS));
  }

  /** Times in whole seconds: much happens at once. Marks and revisions mostly grow with time. */
  private static ApplicationLog log(Random random) {
    List<LoggedInstanceState> instances = new ArrayList<>();
    List<ObservationReport> sightings = new ArrayList<>();
    List<LoggedHostState> hosts = new ArrayList<>();
    List<LockEntry> locks = new ArrayList<>();
    for (int i = 0; i < HOSTS; i++) {
      instances.add(became(random, instances.size(), "i" + i, BEGIN.minusSeconds(5), true));
      hosts.add(
          new LoggedHostState(BEGIN.minusSeconds(5), "h" + i, Map.of("rack", "r" + i % 3), 0));
    }
    for (int i = random.nextInt(25); i > 0; i--) {
      String instance = "i" + random.nextInt(HOSTS);
      instances.add(
          became(random, instances.size(), instance, moment(random), random.nextInt(3) > 0));
    }
    for (int i = random.nextInt(10); i > 0; i--) {
      Instant at = moment(random);
      hosts.add(
          new LoggedHostState(
              at, host(random), Map.of("rack", "r" + random.nextInt(3)), mark(random, at)));
    }
    int every = 5 + random.nextInt(60);
    for (int second = -20; second < SECONDS; second += 1 + random.nextInt(every)) {
      Instant at = BEGIN.plusSeconds(second);
      Instant issued = at.minusSeconds(random.nextInt(4));
      boolean whole = random.nextInt(4) > 0;
      sightings.add(
          new ObservationReport(
              random.nextInt(8) == 0 ? "other" : "static",
              mark(random, issued),
              issued,
              at,
              whole || random.nextBoolean(),
              whole
                  ? Optional.empty()
                  : Optional.of(Set.of("i" + random.nextInt(3), "i" + (3 + random.nextInt(3)))),
              issued.minusSeconds(random.nextInt(10))));
    }
    int entries = random.nextInt(40);
    for (int i = 0; i < entries; i++) {
      String kind = random.nextInt(3) > 0 ? "Batch" : "Session";
      locks.add(
          new LockEntry(
              1,
              Math.max(0, i + (random.nextInt(6) == 0 ? random.nextInt(9) - 4 : 0)),
              0,
              BEGIN.plusSeconds((long) SECONDS * i / entries + random.nextInt(15)),
              List.of("Granted", "Granted", "Ended", "Ended", "Quarantined", "Lapsed", "Queued")
                  .get(random.nextInt(7)),
              "l" + random.nextInt(5),
              kind,
              List.copyOf(Set.of(host(random), "elsewhere")),
              "x",
              "",
              Optional.empty(),
              Optional.empty()));
    }
    instances.sort(Comparator.comparing(LoggedInstanceState::at));
    hosts.sort(Comparator.comparing(LoggedHostState::at));
    return new ApplicationLog(
        "web",
        instances,
        sightings,
        hosts,
        locks,
        List.of(policy(random, 1), policy(random, 2)),
        List.of(),
        BEGIN.minusSeconds(86_400));
  }

  private static long mark(Random random, Instant at) {
    long second = Duration.between(BEGIN, at).toSeconds();
    return 1000 + second + (random.nextInt(6) == 0 ? random.nextInt(40) - 20 : 0);
  }

  private static LoggedInstanceState became(
      Random random, int id, String instance, Instant at, boolean healthy) {
    return new LoggedInstanceState(
        id,
        at,
        instance,
        random.nextInt(9) == 0 ? "db" : "web",
        random.nextInt(5) == 0 ? host(random) : "h" + instance.substring(1),
        "z" + random.nextInt(2),
        1 + random.nextInt(3),
        healthy ? "Healthy" : "Unhealthy",
        random.nextInt(9) == 0,
        random.nextInt(20) == 0 ? "other" : "static",
        mark(random, at),
        at.minusSeconds(random.nextInt(5)));
  }

  private static PolicyVersion policy(Random random, int version) {
    return new PolicyVersion(
        "p",
        version,
        BEGIN.minusSeconds(60),
        Set.of("web"),
        List.of(rule(random)),
        random.nextBoolean() ? Optional.empty() : Optional.of(5),
        Duration.ofSeconds(20 + random.nextInt(60)),
        Optional.empty(),
        List.of());
  }

  private static BudgetRule rule(Random random) {
    return switch (random.nextInt(5)) {
      case 0 -> new MaxUnavailable(new Share(random.nextInt(100), true));
      case 1 -> new MinAvailable(random.nextInt(6));
      case 2 -> new MinCapacity(new Share(random.nextInt(100), true));
      case 3 -> new MaxZones(random.nextInt(3));
      default -> new MaxDomains("rack", 1 + random.nextInt(3));
    };
  }
}
