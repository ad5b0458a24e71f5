package dev.drydock.impact.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.impact.core.Amount;
import dev.drydock.impact.core.Calendar;
import dev.drydock.impact.core.CapacityRule;
import dev.drydock.impact.core.DisruptionInterval;
import dev.drydock.impact.core.DisruptionRate;
import dev.drydock.impact.core.MaxDomainsInFlight;
import dev.drydock.impact.core.MaxUnavailable;
import dev.drydock.impact.core.MinAvailable;
import dev.drydock.impact.core.MinCapacity;
import dev.drydock.impact.core.Policy;
import dev.drydock.impact.core.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plans of random fleets before the judge, at every moment. {@code -Dprop.seed} repeats a run,
 * {@code -Dprop.runs} says how many fleets.
 */
class PlannerPropertiesTest {

  private static void check(Function<SmallFleet, Plan> planner) {
    check(planner, JudgedPlan::complaint);
  }

  /** As often as needed: it ends with the first fleet in which the bug shows. */
  private static void checkLong(Function<SmallFleet, Plan> planner) {
    check(planner, JudgedPlan::complaint, 50_000);
  }

  static void check(
      Function<SmallFleet, Plan> planner, BiFunction<SmallFleet, Plan, String> judge) {
    check(planner, judge, Integer.getInteger("prop.runs", 3_000));
  }

  private static void check(
      Function<SmallFleet, Plan> planner, BiFunction<SmallFleet, Plan, String> judge, int runs) {
    check(SmallFleet::random, planner, judge, runs);
  }

  static <T> void check(
      Function<RandomGenerator, SmallFleet> generate,
      Function<SmallFleet, T> planner,
      BiFunction<SmallFleet, T, String> judge,
      int runs) {
    long seed = Long.getLong("prop.seed", System.nanoTime());
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    for (int run = 0; run < runs; run++) {
      SmallFleet world = generate.apply(random);
      String complaint = judge.apply(world, planner.apply(world));
      if (!complaint.isEmpty()) {
        throw new AssertionError(
            "%s%ncase %d: %s%nrepeat with: -Dprop.seed=%d -Dprop.runs=%d"
                .formatted(complaint, run, world, seed, runs));
      }
    }
  }

  /** Streaming in which nobody reserves: then whoever waits has to be blocked by a rule. */
  private static Plan plan(SmallFleet world) {
    return Planner.plan(world.situation(), SearchBudget.none(), streaming(0));
  }

  static OrderSearch streaming(int reserving) {
    return (planProblem, _, _) ->
        new OrderSimulation(planProblem)
            .run(
                InitialOrders.heaviestFirst(
                    planProblem, InitialOrders.conflictWeight(planProblem, 2)),
                reserving);
  }

  @Test
  void theJudgeGrantsEachStepBesideReservations() {
    for (int reserving = 1; reserving < 5; reserving++) {
      OrderSearch search = streaming(reserving);
      check(
          world -> Planner.plan(world.situation(), SearchBudget.none(), search),
          JudgedPlan::complaintBesideReservations);
    }
  }

  @Test
  void theJudgeGrantsEachStepOfTheBestPlanFound() {
    check(
        world -> Planner.plan(world.situation(), turns(200)),
        JudgedPlan::complaintBesideReservations);
  }

  private static SearchBudget turns(int turns) {
    int[] left = {turns};
    return () -> left[0]-- > 0;
  }

  @Test
  void theFastSimulationAnswersAsTheOther() {
    int[] compared = new int[1];
    check(
        world -> {
          PlanInput alike = onlyCapacity(world).situation();
          PlanProblem planProblem = PlanProblemCompiler.compile(alike);
          if (FastOrderSimulation.suits(planProblem)) {
            int[] order =
                InitialOrders.heaviestFirst(
                    planProblem, InitialOrders.conflictWeight(planProblem, 1));
            long makespan = new OrderSimulation(planProblem).makespan(order, 0, Long.MAX_VALUE - 1);
            assertThat(new FastOrderSimulation(planProblem).makespan(order, Long.MAX_VALUE - 1))
                .as("%s", world)
                .isEqualTo(makespan);
            compared[0] += makespan > 0 ? 1 : 0;
          }
          return plan(world);
        });
    assertThat(compared[0]).isGreaterThan(500);
  }

  private static boolean isCapacity(Rule rule) {
    return rule instanceof CapacityRule || rule instanceof MinCapacity;
  }

  /** One rollout, nothing down, and of the rules those of capacity. */
  static SmallFleet onlyCapacity(SmallFleet w) {
    List<Policy> policies =
        mapped(
                w,
                rules -> {
                  List<Rule> kept =
                      rules.stream().filter(PlannerPropertiesTest::isCapacity).toList();
                  return kept.isEmpty() ? List.of(new MinAvailable(1)) : kept;
                })
            .policies();
    List<Integer> hosts = new ArrayList<>();
    for (int host = 0; host < w.minutes().size(); host++) {
      hosts.add(host);
    }
    return w.withPolicies(policies)
        .withDown(Map.of())
        .withRollouts(List.of(new SmallFleet.Wanted(hosts, 0, 0)));
  }

  @Test
  void theJudgeGrantsEachStepAndNobodyWhoWaits() {
    check(PlannerPropertiesTest::plan);
  }

  @Test
  void noPlanIsShorterThanItsBound() {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(7);
    for (int run = 0; run < 2_000; run++) {
      SmallFleet world = SmallFleet.random(random);
      Plan plan = plan(world);
      if (plan.waiting().isEmpty()) {
        assertThat(plan.makespanMillis())
            .as("%s of %s", plan.bound(), world)
            .isGreaterThanOrEqualTo(plan.bound().millis());
      }
    }
  }

  @Test
  void fleetsAreNeitherAllFreeNorAllInfeasible() {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(7);
    int[] steps = new int[4];
    for (int run = 0; run < 1_000; run++) {
      Plan plan = plan(SmallFleet.random(random));
      steps[0] += plan.steps().size();
      steps[1] += (int) plan.steps().stream().filter(step -> step.beginMillis() > 0).count();
      steps[2] += plan.infeasible().size();
      steps[3] += plan.waiting().size();
    }
    assertThat(steps[0]).isGreaterThan(1_000);
    assertThat(steps[1]).isGreaterThan(steps[0] / 10);
    assertThat(steps[2]).isBetween(100, 4_000);
    assertThat(steps[3]).isGreaterThan(50);
  }

  @Test
  void theJudgeGrantsEachStepBesideWhatWasTakenDownBefore() {
    check(
        SmallFleet::randomWithPast,
        PlannerPropertiesTest::plan,
        PlannerPropertiesTest::complaintWithPast,
        Integer.getInteger("prop.runs", 3_000));
  }

  /** A rate counts twice what is taken a second time: who waits for it may wait too long. */
  private static String complaintWithPast(SmallFleet world, Plan plan) {
    boolean rates =
        world.policies().stream()
            .flatMap(policy -> policy.rules().stream())
            .anyMatch(DisruptionRate.class::isInstance);
    return rates
        ? JudgedPlan.complaintBesideReservations(world, plan)
        : JudgedPlan.complaint(world, plan);
  }

  static Stream<Bug> bugsOfThePast() {
    return Stream.of(
        new Bug("the past is forgotten", w -> w.withPast(Map.of())),
        new Bug("what was taken down is older than it is", w -> w.withPast(older(w, 1))),
        new Bug("what was taken down is newer than it is", w -> w.withPast(older(w, -1))),
        dropped(DisruptionRate.class),
        dropped(DisruptionInterval.class));
  }

  private static Map<Integer, Integer> older(SmallFleet world, int minutes) {
    Map<Integer, Integer> older = new HashMap<>();
    world.past().forEach((at, ago) -> older.put(at, Math.max(0, ago + minutes)));
    return older;
  }

  @ParameterizedTest
  @MethodSource("bugsOfThePast")
  void theJudgeCatchesAMistakeAboutThePast(Bug bug) {
    assertThatThrownBy(
            () ->
                check(
                    SmallFleet::randomWithPast,
                    world -> plan(bug.sees().apply(world)),
                    PlannerPropertiesTest::complaintWithPast,
                    50_000))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("-Dprop.seed=");
  }

  /** A planner with a mistake, made by giving the right one the fleet the mistake would see. */
  record Bug(String name, UnaryOperator<SmallFleet> sees) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Bug> bugs() {
    return Stream.of(
        dropped(MaxUnavailable.class),
        dropped(MinAvailable.class),
        dropped(MinCapacity.class),
        dropped(MaxDomainsInFlight.class),
        dropped(DisruptionRate.class),
        dropped(Calendar.class),
        rule("one more may be down", PlannerPropertiesTest::oneMoreDown),
        rule("one less may be down", PlannerPropertiesTest::oneLessDown),
        rule("one domain too many", PlannerPropertiesTest::oneMoreDomain),
        rule("a rate forgets early", PlannerPropertiesTest::shorterMemory),
        rule("no start-by", PlannerPropertiesTest::noStartBy),
        new Bug("what is down does not count", w -> w.withDown(Map.of())),
        new Bug("every instance weighs the same", w -> w.withPlaced(weightless(w))),
        new Bug("zones are not looked at", w -> w.withPlaced(oneZone(w))),
        new Bug(
            "canaries are forgotten",
            w ->
                w.withRollouts(
                    w.rollouts().stream()
                        .map(r -> new SmallFleet.Wanted(r.hosts(), 0, r.priority()))
                        .toList())),
        new Bug("no limit to hosts at once", w -> w.withHostsMost(99)));
  }

  @ParameterizedTest
  @MethodSource("bugs")
  void theJudgeCatches(Bug bug) {
    assertThatThrownBy(() -> checkLong(world -> plan(bug.sees().apply(world))))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("-Dprop.seed=");
  }

  private static Bug dropped(Class<? extends Rule> kind) {
    return new Bug(
        kind.getSimpleName() + " does not count",
        w ->
            mapped(
                w,
                rules -> {
                  List<Rule> kept = rules.stream().filter(rule -> !kind.isInstance(rule)).toList();
                  return kept.isEmpty() ? List.of(new MinAvailable(0)) : kept;
                }));
  }

  static Bug rule(String name, UnaryOperator<Rule> mistake) {
    return new Bug(name, w -> mapped(w, rules -> rules.stream().map(mistake).toList()));
  }

  private static SmallFleet mapped(SmallFleet world, UnaryOperator<List<Rule>> mistake) {
    List<Policy> policies =
        world.policies().stream()
            .map(
                p ->
                    SmallFleet.with(
                        p.applications().getFirst(), mistake.apply(p.rules()), p.desired()))
            .toList();
    return world.withPolicies(policies);
  }

  private static List<SmallFleet.Placed> weightless(SmallFleet world) {
    return world.placed().stream()
        .map(p -> new SmallFleet.Placed(p.application(), p.host(), p.zone(), 1))
        .toList();
  }

  private static List<SmallFleet.Placed> oneZone(SmallFleet world) {
    return world.placed().stream()
        .map(p -> new SmallFleet.Placed(p.application(), p.host(), "z", p.capacity()))
        .toList();
  }

  private static Rule oneMoreDown(Rule rule) {
    return rule instanceof MaxUnavailable max && max.amount() instanceof Amount.Count(int count)
        ? new MaxUnavailable(new Amount.Count(count + 1))
        : rule;
  }

  static Rule oneLessDown(Rule rule) {
    return rule instanceof MaxUnavailable max && max.amount() instanceof Amount.Count(int count)
        ? new MaxUnavailable(new Amount.Count(count - 1))
        : rule;
  }

  private static Rule oneMoreDomain(Rule rule) {
    return rule instanceof MaxDomainsInFlight max
        ? new MaxDomainsInFlight(max.domain(), max.max() + 1)
        : rule;
  }

  private static Rule shorterMemory(Rule rule) {
    return rule instanceof DisruptionRate rate
        ? new DisruptionRate(rate.max(), rate.per().minus(Duration.ofSeconds(1)))
        : rule;
  }

  private static Rule noStartBy(Rule rule) {
    return rule instanceof Calendar calendar
        ? new Calendar(calendar.windows(), calendar.blackouts(), Duration.ZERO)
        : rule;
  }
}
