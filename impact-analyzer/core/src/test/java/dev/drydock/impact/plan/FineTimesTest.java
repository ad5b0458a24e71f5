package dev.drydock.impact.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.impact.core.Blackout;
import dev.drydock.impact.core.Calendar;
import dev.drydock.impact.core.DesiredInstances;
import dev.drydock.impact.core.Policies;
import dev.drydock.impact.core.Policy;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/** The clock is finer than a plan counts. {@code -Dprop.seed} repeats a run. */
class FineTimesTest {
  private static final int RUNS = Integer.getInteger("prop.runs", 3_000);

  /** Compares the plan at a time finer than a millisecond with {@code expected} of its fleet. */
  private static void check(Function<SmallFleet, Plan> expected) {
    long seed = Long.getLong("prop.seed", System.nanoTime());
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    int waitedForWindows = 0;
    for (int run = 0; run < RUNS; run++) {
      SmallFleet world = SmallFleet.random(random);
      int nanos = 1 + random.nextInt(999_999);
      Plan fine = plan(at(world.situation(), SmallFleet.BEGIN.plusNanos(nanos)));
      assertThat(fine)
          .as("%d ns, case %d: %s, -Dprop.seed=%d -Dprop.runs=%d", nanos, run, world, seed, RUNS)
          .isEqualTo(expected.apply(world));
      boolean calendars =
          world.policies().stream()
              .flatMap(policy -> policy.rules().stream())
              .anyMatch(Calendar.class::isInstance);
      waitedForWindows += calendars && fine.makespanMillis() > 0 ? 1 : 0;
    }
    assertThat(waitedForWindows).isGreaterThan(RUNS / 20);
  }

  private static Plan plan(PlanInput planInput) {
    return Planner.plan(planInput, SearchBudget.none(), PlannerPropertiesTest.streaming(0));
  }

  private static PlanInput at(PlanInput other, Instant begin) {
    return new PlanInput(
        other.fleet(),
        other.policies(),
        begin,
        other.allOrNone(),
        other.down(),
        other.past(),
        other.hostsMost(),
        other.batchMost(),
        other.rollouts());
  }

  @Test
  void aPlanAtAFractionOfAMillisecondIsThePlanAtTheWholeOne() {
    check(world -> plan(world.situation()));
  }

  @Test
  void aPlanWithoutTheHostsThatWaitForWindowsIsNoticed() {
    assertThatThrownBy(
            () ->
                check(
                    world -> {
                      Plan plan = plan(world.situation());
                      return new Plan(
                          plan.steps().stream().filter(step -> step.beginMillis() == 0).toList(),
                          plan.waiting(),
                          plan.infeasible(),
                          plan.makespanMillis(),
                          plan.bound(),
                          plan.applications(),
                          plan.assumed(),
                          plan.checks());
                    }))
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void whatOpensBetweenTwoMillisecondsOpensAtTheNext() {
    ZoneId utc = ZoneId.of("UTC");
    LocalDateTime begin = LocalDateTime.ofInstant(SmallFleet.BEGIN, utc);
    Blackout blackout =
        new Blackout(utc, begin.minusHours(1), begin.plusSeconds(5).plusNanos(1), "sale");
    Policy policy =
        SmallFleet.with(
            "a",
            List.of(new Calendar(List.of(), List.of(blackout), Duration.ofMinutes(1))),
            new DesiredInstances.FromScheduler());
    CompactFleet.Builder fleet = new CompactFleet.Builder(Duration.ofMinutes(1));
    fleet.instance(fleet.host("h"), fleet.application("a"), fleet.zone("z"), 1);
    Plan plan =
        plan(
            PlanInput.of(
                fleet.build(),
                new Policies(Map.of("a", policy), Map.of()),
                SmallFleet.BEGIN,
                PlannedRollout.of("r", 0)));
    assertThat(plan.steps()).singleElement().extracting(Plan.Step::beginMillis).isEqualTo(5_001L);
  }
}
