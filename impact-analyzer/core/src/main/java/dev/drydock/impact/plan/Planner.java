package dev.drydock.impact.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Plans rollouts.
 *
 * <ol>
 *   <li>Hosts become units: batches where fault zones are all or none, else one each. What no
 *       waiting helps is infeasible; what waits until more is allocated or told is named as
 *       waiting. Both are left out of what follows.
 *   <li>Rules become limits, and each unit takes some of some of them.
 *   <li>An order is searched, and run as it would be executed: each unit begins as soon as its
 *       limits allow.
 * </ol>
 *
 * <p>Properties: pure; every step is one that {@code Judge} would grant at that time with the steps
 * under way held; every host is in exactly one of steps, waiting and infeasible.
 */
public final class Planner {
  private Planner() {}

  /** The best plan found within the budget; the first one is made in any case. */
  public static Plan plan(PlanInput planInput, SearchBudget searchBudget) {
    return plan(planInput, searchBudget, new ImprovedOrder());
  }

  /** What can never be taken as things are configured, without a plan for the rest. */
  public static List<Infeasible> infeasible(PlanInput planInput) {
    return PlanProblemCompiler.compile(planInput).infeasible();
  }

  static Plan plan(PlanInput planInput, SearchBudget searchBudget, OrderSearch search) {
    PlanProblem planProblem = PlanProblemCompiler.compile(planInput);
    Bound bound = Bounds.of(planProblem, searchBudget);
    Schedule schedule = search.search(planProblem, bound, searchBudget);
    return plan(planInput, planProblem, bound, schedule);
  }

  private static Plan plan(
      PlanInput planInput, PlanProblem planProblem, Bound bound, Schedule schedule) {
    List<Plan.Step> steps = new ArrayList<>();
    List<Plan.Waiting> waiting = new ArrayList<>(planProblem.held());
    int[] byBegin =
        IntStream.range(0, planProblem.units())
            .filter(unit -> !planProblem.isDown(unit))
            .boxed()
            .sorted(
                Comparator.comparingLong((Integer unit) -> schedule.begins()[unit])
                    .thenComparing(u -> u))
            .mapToInt(unit -> unit)
            .toArray();
    for (int unit : byBegin) {
      long begin = schedule.begins()[unit];
      String rollout = planInput.rollouts().get(planProblem.rollout()[unit]).id();
      if (begin < 0) {
        waiting.add(
            new Plan.Waiting(
                rollout, planProblem.names(unit), reason(planProblem, schedule.waitsOn()[unit])));
      } else {
        steps.add(
            new Plan.Step(
                rollout, planProblem.names(unit), begin, begin + planProblem.millis()[unit]));
      }
    }
    return new Plan(
        steps,
        waiting,
        planProblem.infeasible(),
        schedule.makespan(),
        bound,
        Timelines.of(planProblem, schedule),
        planProblem.assumed(),
        schedule.checks());
  }

  private static String reason(PlanProblem planProblem, int limit) {
    return switch (planProblem.limits().kind(limit)) {
      case PlanLimits.GATE -> planProblem.limits().rule(limit) + ", and not all of them can begin";
      case PlanLimits.CALENDAR ->
          "%s: %s is never open as long as work takes"
              .formatted(Bounds.whose(planProblem, limit), planProblem.limits().rule(limit));
      default ->
          "%s: %s leaves no room beside what is down"
              .formatted(Bounds.whose(planProblem, limit), planProblem.limits().rule(limit));
    };
  }
}
