package dev.drydock.impact.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Schedules whose units were moved, before the judge; seeds as in {@link PlannerPropertiesTest}.
 */
class JustificationTest {
  @Test
  void theJudgeGrantsEachStepOfAPlanWhoseUnitsWereMoved() {
    int[] shorter = new int[1];
    PlannerPropertiesTest.check(
        w -> {
          PlanInput planInput = PlannerPropertiesTest.onlyCapacity(w).situation();
          Plan moved = Planner.plan(planInput, SearchBudget.none(), moving(10));
          long streamed =
              Planner.plan(planInput, SearchBudget.none(), PlannerPropertiesTest.streaming(0))
                  .makespanMillis();
          assertThat(moved.makespanMillis())
              .as("%s", w)
              .isBetween(moved.bound().millis(), streamed);
          shorter[0] += moved.makespanMillis() < streamed ? 1 : 0;
          return moved;
        },
        JustificationTest::complaintOfMoved);
    assertThat(shorter[0]).as("plans that moving made shorter").isPositive();
  }

  private static String complaintOfMoved(SmallFleet w, Plan plan) {
    SmallFleet world = PlannerPropertiesTest.onlyCapacity(w);
    String complaint = JudgedPlan.complaintBesideReservations(world, plan);
    return complaint.isEmpty() ? JudgedPlan.beginsLate(world, plan) : complaint;
  }

  private static OrderSearch moving(int rounds) {
    return (work, bound, budget) -> {
      Schedule first = PlannerPropertiesTest.streaming(0).search(work, bound, budget);
      if (!Justification.suits(work)) {
        return first;
      }
      Justification moved = new Justification(work, () -> true, first);
      moved.rounds(rounds, 0);
      return moved.schedule();
    };
  }

  /** What moving would answer if it forgot a unit when it looks for room, or left a gap. */
  static Stream<UnaryOperator<long[]>> mistakesOfMoving() {
    return Stream.of(
        begins -> moved(begins, -600_000), // Ten minutes before there is room.
        begins -> moved(begins, 60_000));
  }

  private static long[] moved(long[] begins, long by) {
    long[] wrong = begins.clone();
    int last = 0;
    for (int unit = 0; unit < wrong.length; unit++) {
      last = wrong[unit] > wrong[last] ? unit : last;
    }
    if (wrong.length > 0 && wrong[last] > 0) {
      wrong[last] += by;
    }
    return wrong;
  }

  @ParameterizedTest
  @MethodSource("mistakesOfMoving")
  void theJudgeCatchesAMistakeOfMoving(UnaryOperator<long[]> mistake) {
    OrderSearch wrong =
        (work, bound, budget) -> {
          Schedule right = moving(10).search(work, bound, budget);
          return new Schedule(
              mistake.apply(right.begins()), right.waitsOn(), right.makespan(), right.checks());
        };
    assertThatThrownBy(
            () ->
                PlannerPropertiesTest.check(
                    w ->
                        Planner.plan(
                            PlannerPropertiesTest.onlyCapacity(w).situation(),
                            SearchBudget.none(),
                            wrong),
                    JustificationTest::complaintOfMoved))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("-Dprop.seed=");
  }
}
