package dev.drydock.impact.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Orders to try at first: cheap to make, and one of them is mostly good. */
final class Orders {
  private Orders() {}

  /**
   * By how much work excludes the unit's own: its duration and those of the units that cannot be
   * done beside it. Where limits have room for many, the share of the limit's work that it delays.
   */
  static double[] conflictWeight(Work work, double power) {
    double[] load = load(work);
    double[] weight = new double[work.units()];
    for (int unit = 0; unit < weight.length; unit++) {
      weight[unit] = work.millis()[unit];
      for (int row = work.rowFirst()[unit]; row < work.rowFirst()[unit + 1]; row++) {
        int limit = work.rowLimit()[row];
        if (work.limits().kind(limit) == Limits.CAPACITY) {
          double most = work.limits().most(limit);
          weight[unit] += load[limit] / Math.pow(most, power) * work.rowTakes()[row];
        }
      }
    }
    return weight;
  }

  /** By the limit that has most to do for what it allows at once: the one that decides the end. */
  static double[] criticalFirst(Work work) {
    double[] load = load(work);
    double[] weight = new double[work.units()];
    for (int unit = 0; unit < weight.length; unit++) {
      double critical = 0;
      for (int row = work.rowFirst()[unit]; row < work.rowFirst()[unit + 1]; row++) {
        int limit = work.rowLimit()[row];
        if (work.limits().kind(limit) == Limits.CAPACITY) {
          critical = Math.max(critical, load[limit] / work.limits().most(limit));
        }
      }
      weight[unit] = critical + work.millis()[unit] * 1e-3;
    }
    return weight;
  }

  /** Time that the units of each limit take of it, in instance milliseconds. */
  static double[] load(Work work) {
    double[] load = new double[work.limits().size()];
    for (int unit = 0; unit < work.units(); unit++) {
      for (int row = work.rowFirst()[unit]; row < work.rowFirst()[unit + 1]; row++) {
        load[work.rowLimit()[row]] +=
            (double) work.rowTakes()[row] * work.millis()[unit] * (work.isDown(unit) ? 0 : 1);
      }
    }
    return load;
  }

  /**
   * Heaviest first within each rollout; of rollouts that stand higher all before others, of those
   * that stand alike one unit of each in turn.
   */
  static int[] heaviestFirst(Work work, double[] weight) {
    List<List<Integer>> byRollout = new ArrayList<>();
    for (int rollout = 0; rollout < work.standing().length; rollout++) {
      byRollout.add(new ArrayList<>());
    }
    for (int unit = 0; unit < work.units(); unit++) {
      if (!work.isDown(unit)) {
        byRollout.get(work.rollout()[unit]).add(unit);
      }
    }
    long[] turn = new long[work.units()];
    for (List<Integer> units : byRollout) {
      units.sort(Comparator.comparingDouble((Integer u) -> -weight[u]).thenComparing(u -> u));
      for (int i = 0; i < units.size(); i++) {
        turn[units.get(i)] = i;
      }
    }
    return byRollout.stream()
        .flatMap(List::stream)
        .sorted(
            Comparator.comparingInt((Integer u) -> -work.standing()[work.rollout()[u]])
                .thenComparingLong(u -> turn[u])
                .thenComparing(u -> u))
        .mapToInt(u -> u)
        .toArray();
  }
}
