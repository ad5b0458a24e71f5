package dev.drydock.impact.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.impact.core.Amount;
import dev.drydock.impact.core.DesiredInstances;
import dev.drydock.impact.core.MaxUnavailable;
import dev.drydock.impact.core.Policies;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/**
 * Several rollouts that compete: one application on all hosts, of which a few may be down. {@code
 * -Dprop.seed} repeats a run.
 */
class RolloutsTest {
  private static final int RUNS = 60;

  private static void check(Consumer<RandomGenerator> property) {
    long seed = Long.getLong("prop.seed", System.nanoTime());
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    for (int run = 0; run < RUNS; run++) {
      try {
        property.accept(random);
      } catch (AssertionError broken) {
        throw new AssertionError(
            "run %d, repeat with -Dprop.seed=%d: %s".formatted(run, seed, broken.getMessage()),
            broken);
      }
    }
  }

  private static CompactFleet fleet(RandomGenerator random, int hosts) {
    CompactFleet.Builder fleet = new CompactFleet.Builder(Duration.ofHours(1));
    for (int h = 0; h < hosts; h++) {
      int host = fleet.host("h" + h);
      fleet.lasts(host, Duration.ofMinutes(10 + random.nextInt(50)));
      fleet.instance(host, fleet.application("web"), fleet.zone(""), 1);
    }
    return fleet.build();
  }

  private static Plan plan(CompactFleet fleet, int downMost, List<PlannedRollout> rollouts) {
    Policies policies =
        new Policies(
            Map.of(
                "web",
                SmallFleet.with(
                    "web",
                    List.of(new MaxUnavailable(new Amount.Count(downMost))),
                    new DesiredInstances.FromScheduler())),
            Map.of());
    return Planner.plan(
        new PlanInput(
            fleet,
            policies,
            Instant.EPOCH,
            Set.of(),
            Map.of(),
            List.of(),
            Integer.MAX_VALUE,
            Integer.MAX_VALUE,
            rollouts),
        SearchBudget.none());
  }

  /** Every hour more of a higher priority come than could go, and heavier ones. */
  private static void nobodyWaitsForEver(UnaryOperator<Duration> ageing) {
    check(
        random -> {
          int downMost = 1 + random.nextInt(3);
          int old = 1 + random.nextInt(4);
          int priority = 1 + random.nextInt(6);
          int coming = downMost + random.nextInt(3);
          CompactFleet fleet = fleet(random, old + coming);
          List<String> waiting = new ArrayList<>();
          for (int h = 0; h < old; h++) {
            waiting.add("h" + (coming + h));
          }
          int hours = 0;
          while (!waiting.isEmpty()) {
            List<PlannedRollout> rollouts = new ArrayList<>();
            for (int h = 0; h < coming; h++) {
              rollouts.add(
                  new PlannedRollout(
                      "new" + h, priority, Duration.ZERO, new int[] {h}, 0, Duration.ZERO));
            }
            int[] left = waiting.stream().mapToInt(fleet::hostNumber).toArray();
            Duration age = ageing.apply(Duration.ofHours(hours));
            rollouts.add(new PlannedRollout("old", 0, age, left, 0, Duration.ZERO));
            for (Plan.Step step : plan(fleet, downMost, rollouts).steps()) {
              if (step.beginMillis() == 0) {
                waiting.removeAll(step.hosts());
              }
            }
            hours++;
            assertThat(hours).as("hours that %s waits", waiting).isLessThan(24 + old + 2);
          }
        });
  }

  @Test
  void noHostWaitsForEverBehindHeavierOnesThatKeepComing() {
    nobodyWaitsForEver(age -> age);
  }

  @Test
  void someWaitForEverWithoutAgeing() {
    assertThatThrownBy(() -> nobodyWaitsForEver(_ -> Duration.ZERO))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("hours that");
  }

  @Test
  void someWaitForEverIfAgeOnlyLiftsThemToTheHighestPriority() {
    UnaryOperator<Duration> capped =
        age -> age.compareTo(Duration.ofHours(6)) < 0 ? age : Duration.ofHours(6);
    assertThatThrownBy(() -> nobodyWaitsForEver(capped))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("hours that");
  }

  /** One host at a time: who goes when is the order alone. */
  private static void theHigherGoesFirstAndThoseAlikeShare(IntUnaryOperator planned) {
    check(
        random -> {
          int count = 2 + random.nextInt(3);
          CompactFleet fleet = fleet(random, 4 + random.nextInt(8));
          List<List<Integer>> hosts = new ArrayList<>();
          int[] priority = new int[count];
          List<PlannedRollout> rollouts = new ArrayList<>();
          for (int r = 0; r < count; r++) {
            hosts.add(new ArrayList<>());
            priority[r] = random.nextInt(2);
          }
          for (int host : fleet.allHosts()) {
            hosts.get(random.nextInt(count)).add(host);
          }
          for (int r = 0; r < count; r++) {
            int[] numbers = hosts.get(r).stream().mapToInt(h -> h).toArray();
            int stands = planned.applyAsInt(priority[r]);
            rollouts.add(
                new PlannedRollout("" + r, stands, Duration.ZERO, numbers, 0, Duration.ZERO));
          }
          inOrder(plan(fleet, 1, rollouts), priority, hosts);
        });
  }

  private static void inOrder(Plan plan, int[] priority, List<List<Integer>> hosts) {
    int before = Integer.MAX_VALUE;
    Map<Integer, Integer> begun = new HashMap<>();
    for (Plan.Step step : plan.steps()) {
      int rollout = Integer.parseInt(step.rollout());
      assertThat(priority[rollout]).as("priority of %s", step).isLessThanOrEqualTo(before);
      before = priority[rollout];
      int mine = begun.merge(rollout, 1, Integer::sum);
      for (int other = 0; other < priority.length; other++) {
        if (priority[other] == before && begun.getOrDefault(other, 0) < hosts.get(other).size()) {
          assertThat(mine - begun.getOrDefault(other, 0))
              .as("hosts by which rollout %s is ahead of %d", step.rollout(), other)
              .isLessThanOrEqualTo(1);
        }
      }
    }
  }

  @Test
  void theHigherPriorityGoesFirstAndThoseAlikeTakeTurns() {
    theHigherGoesFirstAndThoseAlikeShare(priority -> priority);
  }

  @Test
  void itShowsWhenPrioritiesAreForgottenOrThoseAlikeDoNotShare() {
    assertThatThrownBy(() -> theHigherGoesFirstAndThoseAlikeShare(_ -> 0))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("priority of");
    int[] next = {1_000_000};
    assertThatThrownBy(() -> theHigherGoesFirstAndThoseAlikeShare(p -> p * 10_000_000 + next[0]--))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("is ahead of");
  }
}
