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
  public static Plan plan(Situation situation, Budget budget) {
    return plan(situation, budget, new ImprovedOrder());
  }

  /** What can never be taken as things are configured, without a plan for the rest. */
  public static List<Infeasible> infeasible(Situation situation) {
    return Compiler.compile(situation).infeasible();
  }

  static Plan plan(Situation situation, Budget budget, OrderSearch search) {
    Work work = Compiler.compile(situation);
    Bound bound = Bounds.of(work, budget);
    Schedule schedule = search.search(work, bound, budget);
    return plan(situation, work, bound, schedule);
  }

  private static Plan plan(Situation situation, Work work, Bound bound, Schedule schedule) {
    List<Plan.Step> steps = new ArrayList<>();
    List<Plan.Waiting> waiting = new ArrayList<>(work.held());
    int[] byBegin =
        IntStream.range(0, work.units())
            .filter(unit -> !work.isDown(unit))
            .boxed()
            .sorted(
                Comparator.comparingLong((Integer unit) -> schedule.begins()[unit])
                    .thenComparing(u -> u))
            .mapToInt(unit -> unit)
            .toArray();
    for (int unit : byBegin) {
      long begin = schedule.begins()[unit];
      String rollout = situation.rollouts().get(work.rollout()[unit]).id();
      if (begin < 0) {
        waiting.add(
            new Plan.Waiting(rollout, work.names(unit), reason(work, schedule.waitsOn()[unit])));
      } else {
        steps.add(new Plan.Step(rollout, work.names(unit), begin, begin + work.millis()[unit]));
      }
    }
    return new Plan(
        steps,
        waiting,
        work.infeasible(),
        schedule.makespan(),
        bound,
        Timelines.of(work, schedule),
        work.assumed(),
        schedule.checks());
  }

  private static String reason(Work work, int limit) {
    return switch (work.limits().kind(limit)) {
      case Limits.GATE -> work.limits().rule(limit) + ", and not all of them can begin";
      case Limits.CALENDAR ->
          "%s: %s is never open as long as work takes"
              .formatted(Bounds.whose(work, limit), work.limits().rule(limit));
      default ->
          "%s: %s leaves no room beside what is down"
              .formatted(Bounds.whose(work, limit), work.limits().rule(limit));
    };
  }
}
