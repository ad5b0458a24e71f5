package dev.drydock.impact.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Orders to try at first: cheap to make, and one of them is mostly good. */
final class InitialOrders {
  private InitialOrders() {}

  /**
   * By how much work excludes the unit's own: its duration and those of the units that cannot be
   * done beside it. Where limits have room for many, the share of the limit's work that it delays.
   */
  static double[] conflictWeight(PlanProblem planProblem, double power) {
    double[] load = load(planProblem);
    double[] weight = new double[planProblem.units()];
    for (int unit = 0; unit < weight.length; unit++) {
      weight[unit] = planProblem.millis()[unit];
      for (int row = planProblem.rowFirst()[unit]; row < planProblem.rowFirst()[unit + 1]; row++) {
        int limit = planProblem.rowLimit()[row];
        if (planProblem.limits().kind(limit) == PlanLimits.CAPACITY) {
          double most = planProblem.limits().most(limit);
          weight[unit] += load[limit] / Math.pow(most, power) * planProblem.rowTakes()[row];
        }
      }
    }
    return weight;
  }

  /** By the limit that has most to do for what it allows at once: the one that decides the end. */
  static double[] criticalFirst(PlanProblem planProblem) {
    double[] load = load(planProblem);
    double[] weight = new double[planProblem.units()];
    for (int unit = 0; unit < weight.length; unit++) {
      double critical = 0;
      for (int row = planProblem.rowFirst()[unit]; row < planProblem.rowFirst()[unit + 1]; row++) {
        int limit = planProblem.rowLimit()[row];
        if (planProblem.limits().kind(limit) == PlanLimits.CAPACITY) {
          critical = Math.max(critical, load[limit] / planProblem.limits().most(limit));
        }
      }
      weight[unit] = critical + planProblem.millis()[unit] * 1e-3;
    }
    return weight;
  }

  /** Time that the units of each limit take of it, in instance milliseconds. */
  static double[] load(PlanProblem planProblem) {
    double[] load = new double[planProblem.limits().size()];
    for (int unit = 0; unit < planProblem.units(); unit++) {
      for (int row = planProblem.rowFirst()[unit]; row < planProblem.rowFirst()[unit + 1]; row++) {
        load[planProblem.rowLimit()[row]] +=
            (double) planProblem.rowTakes()[row]
                * planProblem.millis()[unit]
                * (planProblem.isDown(unit) ? 0 : 1);
      }
    }
    return load;
  }

  /**
   * Heaviest first within each rollout; of rollouts that stand higher all before others, of those
   * that stand alike one unit of each in turn.
   */
  static int[] heaviestFirst(PlanProblem planProblem, double[] weight) {
    List<List<Integer>> byRollout = new ArrayList<>();
    for (int rollout = 0; rollout < planProblem.standing().length; rollout++) {
      byRollout.add(new ArrayList<>());
    }
    for (int unit = 0; unit < planProblem.units(); unit++) {
      if (!planProblem.isDown(unit)) {
        byRollout.get(planProblem.rollout()[unit]).add(unit);
      }
    }
    long[] turn = new long[planProblem.units()];
    for (List<Integer> units : byRollout) {
      units.sort(Comparator.comparingDouble((Integer u) -> -weight[u]).thenComparing(u -> u));
      for (int i = 0; i < units.size(); i++) {
        turn[units.get(i)] = i;
      }
    }
    return byRollout.stream()
        .flatMap(List::stream)
        .sorted(
            Comparator.comparingInt(
                    (Integer u) -> -planProblem.standing()[planProblem.rollout()[u]])
                .thenComparingLong(u -> turn[u])
                .thenComparing(u -> u))
        .mapToInt(u -> u)
        .toArray();
  }
}
