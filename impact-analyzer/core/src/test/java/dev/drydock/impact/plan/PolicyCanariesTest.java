package dev.drydock.impact.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/** A plan lets nobody begin whom the run would let wait. {@code -Dprop.seed} repeats a run. */
class PolicyCanariesTest {
  private static final int RUNS = Integer.getInteger("prop.runs", 3_000);
  private static final Duration SOAK = Duration.ofMinutes(7);

  /** Two gates of one rollout: canaries of one may be canaries of the other as well. */
  private static List<PlannedRollout.Gate> gates(
      PlannedRollout plannedRollout, RandomGenerator random) {
    List<PlannedRollout.Gate> gates = new ArrayList<>();
    int[] first =
        Arrays.stream(plannedRollout.hosts()).filter(_ -> random.nextInt(3) == 0).toArray();
    for (int gate = 0; gate < 2; gate++) {
      int number = gate;
      gates.add(
          new PlannedRollout.Gate(
              "gate " + gate,
              Arrays.stream(first).filter(host -> number == 0 || host % 2 == 0).toArray(),
              Arrays.stream(plannedRollout.hosts())
                  .filter(host -> Arrays.stream(first).noneMatch(it -> it == host))
                  .filter(_ -> random.nextInt(4) != 0)
                  .toArray(),
              SOAK));
    }
    return gates;
  }

  /** A batch with a canary waits for no gate, even if other hosts are in it. */
  private static String complaint(PlanInput planInput, Plan plan, List<PlannedRollout.Gate> gates) {
    Map<String, Plan.Step> steps = new HashMap<>();
    plan.steps().forEach(step -> step.hosts().forEach(host -> steps.put(host, step)));
    for (PlannedRollout.Gate gate : gates) {
      List<String> canaries = names(planInput, gate.canaries());
      long open = 0;
      for (String canary : canaries) {
        Plan.Step step = steps.get(canary);
        open = step == null ? Long.MAX_VALUE : Math.max(open, step.endMillis() + SOAK.toMillis());
      }
      for (String host : names(planInput, gate.waiting())) {
        Plan.Step step = steps.get(host);
        if (step != null
            && step.hosts().stream().noneMatch(canaries::contains)
            && step.beginMillis() < open) {
          return "%s begins at %d, and %s opens at %d"
              .formatted(host, step.beginMillis(), gate.says(), open);
        }
      }
    }
    return "";
  }

  private static List<String> names(PlanInput planInput, int[] hosts) {
    return Arrays.stream(hosts).mapToObj(planInput.fleet()::host).toList();
  }

  private static void check(
      BiFunction<PlannedRollout, List<PlannedRollout.Gate>, PlannedRollout> behind) {
    long seed = Long.getLong("prop.seed", System.nanoTime());
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    int waited = 0;
    for (int run = 0; run < RUNS; run++) {
      PlanInput made = SmallFleet.random(random).situation();
      List<PlannedRollout.Gate> gates = gates(made.rollouts().getFirst(), random);
      List<PlannedRollout> rollouts = new ArrayList<>(made.rollouts());
      rollouts.set(0, behind.apply(rollouts.getFirst(), gates));
      PlanInput planInput =
          new PlanInput(
              made.fleet(),
              made.policies(),
              made.begin(),
              made.allOrNone(),
              made.down(),
              made.past(),
              made.hostsMost(),
              made.batchMost(),
              rollouts);
      Plan plan = Planner.plan(planInput, SearchBudget.none());
      assertThat(complaint(planInput, plan, gates))
          .as("case %d, -Dprop.seed=%d -Dprop.runs=%d", run, seed, RUNS)
          .isEmpty();
      waited +=
          gates.getFirst().canaries().length > 0
                  && plan.steps().stream().anyMatch(step -> step.beginMillis() > 0)
              ? 1
              : 0;
    }
    assertThat(waited).isGreaterThan(RUNS / 10);
  }

  @Test
  void nobodyBeginsBeforeTheCanariesItWaitsForAreDoneAndWereWatched() {
    check(PlannedRollout::behind);
  }

  @Test
  void aPlanThatForgetsOneGateIsNoticed() {
    assertThatThrownBy(
            () -> check((plannedRollout, gates) -> plannedRollout.behind(gates.subList(0, 1))))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("gate 1 opens at");
  }

  @Test
  void aPlanThatForgetsToWatchIsNoticed() {
    assertThatThrownBy(
            () ->
                check(
                    (plannedRollout, gates) ->
                        plannedRollout.behind(
                            gates.stream()
                                .map(
                                    gate ->
                                        new PlannedRollout.Gate(
                                            gate.says(),
                                            gate.canaries(),
                                            gate.waiting(),
                                            Duration.ZERO))
                                .toList())))
        .isInstanceOf(AssertionError.class);
  }
}
