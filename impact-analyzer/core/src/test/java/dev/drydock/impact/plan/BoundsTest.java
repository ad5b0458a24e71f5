package dev.drydock.impact.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No bound is above the shortest of all orders, in fleets so small that each can be run. Plans that
 * were searched cannot show it: the search ends at the bound, be it right or not. {@code
 * -Dprop.seed} repeats a run, {@code -Dprop.runs} says how many fleets.
 */
class BoundsTest {
  private static final int UNITS_MOST = 6;

  private int compared;
  private int met;

  @Test
  void noOrderIsShorterThanTheBound() {
    check(BoundsTest::bound);
    assertThat(compared).as("fleets whose orders were all run").isGreaterThan(300);
    assertThat(met).as("fleets in which a bound could be no higher").isGreaterThan(compared / 2);
  }

  /** A bound with a mistake. */
  record Planted(String name, Function<SmallFleet, Bound> bound) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Planted> tooHigh() {
    PlannerPropertiesTest.Bug strict =
        PlannerPropertiesTest.rule("one less may be down", PlannerPropertiesTest::oneLessDown);
    return Stream.of(
        new Planted(
            "a millisecond too high",
            world -> new Bound(bound(world).millis() + 1, bound(world).formula())),
        new Planted(strict.name(), world -> bound(strict.sees().apply(world))));
  }

  @ParameterizedTest
  @MethodSource("tooHigh")
  void aBoundThatIsTooHighIsCaught(Planted planted) {
    assertThatThrownBy(() -> check(planted.bound()))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("an order takes")
        .hasMessageContaining("-Dprop.seed=");
  }

  private void check(Function<SmallFleet, Bound> bound) {
    PlannerPropertiesTest.check(
        SmallFleet::random, bound, this::complaint, Integer.getInteger("prop.runs", 1_000));
  }

  private static Bound bound(SmallFleet world) {
    return Bounds.of(PlanProblemCompiler.compile(world.situation()), SearchBudget.none());
  }

  private String complaint(SmallFleet world, Bound bound) {
    OptionalLong shortest = shortest(PlanProblemCompiler.compile(world.situation()));
    if (shortest.isEmpty()) {
      return "";
    }
    compared++;
    met += shortest.getAsLong() == bound.millis() ? 1 : 0;
    return shortest.getAsLong() >= bound.millis()
        ? ""
        : "an order takes %d ms, which is less than %s".formatted(shortest.getAsLong(), bound);
  }

  /** Of all orders by which everything begins some time; empty where that is none or too many. */
  private static OptionalLong shortest(PlanProblem planProblem) {
    int[] units =
        IntStream.range(0, planProblem.units()).filter(unit -> !planProblem.isDown(unit)).toArray();
    if (units.length == 0 || units.length > UNITS_MOST) {
      return OptionalLong.empty();
    }
    OrderSimulation orderSimulation = new OrderSimulation(planProblem);
    return orders(units, 0)
        .map(order -> orderSimulation.run(order, 0))
        .filter(schedule -> Arrays.stream(units).allMatch(unit -> schedule.begins()[unit] >= 0))
        .mapToLong(Schedule::makespan)
        .min();
  }

  /** Every order of those from a place on. */
  private static Stream<int[]> orders(int[] units, int from) {
    if (from == units.length) {
      return Stream.of(units);
    }
    return IntStream.range(from, units.length)
        .boxed()
        .flatMap(
            chosen -> {
              int[] next = units.clone();
              next[from] = units[chosen];
              next[chosen] = units[from];
              return orders(next, from + 1);
            });
  }
}
