package dev.drydock.impact.plan;

import java.util.SplittableRandom;

/**
 * The clique bound: units of which no two may be down together have to go one after the other, so
 * their durations add up. The heaviest such set is searched greedily from many starts; whichever is
 * found is a true bound.
 */
final class CliqueBound {
  private static final int STARTS_LEAST = 32;
  private static final int STARTS_MOST = 4_000;

  private final PlanProblem planProblem;
  private final int[] unitFirst;
  private final int[] unitOf;
  private final int[] takesMost;
  private final int[] stamp;
  private int stamps;
  private final SplittableRandom random = new SplittableRandom(1);

  private CliqueBound(PlanProblem planProblem) {
    this.planProblem = planProblem;
    int size = planProblem.limits().size();
    unitFirst = new int[size + 1];
    unitOf = new int[planProblem.rowLimit().length];
    takesMost = new int[size];
    stamp = new int[planProblem.units()];
    for (int row = 0; row < planProblem.rowLimit().length; row++) {
      unitFirst[planProblem.rowLimit()[row] + 1]++;
      int limit = planProblem.rowLimit()[row];
      takesMost[limit] = Math.max(takesMost[limit], planProblem.rowTakes()[row]);
    }
    for (int limit = 0; limit < size; limit++) {
      unitFirst[limit + 1] += unitFirst[limit];
    }
    int[] next = unitFirst.clone();
    for (int unit = 0; unit < planProblem.units(); unit++) {
      for (int row = planProblem.rowFirst()[unit]; row < planProblem.rowFirst()[unit + 1]; row++) {
        unitOf[next[planProblem.rowLimit()[row]]++] = unit;
      }
    }
  }

  /**
   * The heaviest found; the search ends early where the first ones are far from what another
   * formula gave.
   */
  static Bound of(PlanProblem planProblem, Bound other, SearchBudget searchBudget) {
    CliqueBound search = new CliqueBound(planProblem);
    IntList best = new IntList();
    long heaviest = 0;
    int starts = Math.min(STARTS_MOST, 4 * planProblem.units());
    for (int start = 0; start < starts; start++) {
      boolean hopeless = heaviest * 2 < other.millis() || !searchBudget.isLeft();
      if (start >= STARTS_LEAST && hopeless) {
        break;
      }
      int first =
          start < planProblem.units() && start >= STARTS_LEAST
              ? start
              : search.random.nextInt(planProblem.units());
      IntList clique = search.grow(first);
      long weight = search.weight(clique);
      if (weight > heaviest) {
        heaviest = weight;
        best = clique;
      }
    }
    return new Bound(
        heaviest,
        "clique of %d hosts or batches of which no two may be down together, such as %s: their work one after the other"
            .formatted(
                best.size(),
                best.size() == 0 ? "none" : String.join(", ", planProblem.names(best.get(0)))));
  }

  private long weight(IntList clique) {
    long weight = 0;
    for (int i = 0; i < clique.size(); i++) {
      weight += planProblem.millis()[clique.get(i)];
    }
    return weight;
  }

  private IntList grow(int first) {
    IntList clique = new IntList();
    if (planProblem.isDown(first)) {
      return clique;
    }
    clique.add(first);
    IntList candidates = neighbours(first);
    while (candidates.size() > 0) {
      int chosen = choose(candidates);
      clique.add(chosen);
      IntList near = neighbours(chosen);
      int mark = ++stamps;
      for (int i = 0; i < near.size(); i++) {
        stamp[near.get(i)] = mark;
      }
      IntList both = new IntList();
      for (int i = 0; i < candidates.size(); i++) {
        if (stamp[candidates.get(i)] == mark) {
          both.add(candidates.get(i));
        }
      }
      candidates = both;
    }
    return clique;
  }

  /** The one of a few with which most is left to choose from. */
  private int choose(IntList candidates) {
    int best = -1;
    double bestScore = -1;
    for (int tries = 0; tries < 4; tries++) {
      int unit = candidates.get(random.nextInt(candidates.size()));
      double score = planProblem.millis()[unit];
      for (int row = planProblem.rowFirst()[unit]; row < planProblem.rowFirst()[unit + 1]; row++) {
        int limit = planProblem.rowLimit()[row];
        if (excludes(limit, planProblem.rowTakes()[row])) {
          score += (double) planProblem.millis()[unit] * (unitFirst[limit + 1] - unitFirst[limit]);
        }
      }
      if (score > bestScore) {
        bestScore = score;
        best = unit;
      }
    }
    return best;
  }

  private boolean excludes(int limit, int takes) {
    return planProblem.limits().kind(limit) == PlanLimits.CAPACITY
        && takes + takesMost[limit] > planProblem.limits().most(limit);
  }

  /** Units that cannot be down together with this one, each once. */
  private IntList neighbours(int of) {
    IntList near = new IntList();
    int mark = ++stamps;
    stamp[of] = mark;
    for (int row = planProblem.rowFirst()[of]; row < planProblem.rowFirst()[of + 1]; row++) {
      int limit = planProblem.rowLimit()[row];
      int takes = planProblem.rowTakes()[row];
      for (int at = unitFirst[limit]; excludes(limit, takes) && at < unitFirst[limit + 1]; at++) {
        int unit = unitOf[at];
        if (stamp[unit] != mark
            && !planProblem.isDown(unit)
            && takesOf(unit, limit) + takes > planProblem.limits().most(limit)) {
          stamp[unit] = mark;
          near.add(unit);
        }
      }
    }
    return near;
  }

  private int takesOf(int unit, int limit) {
    for (int row = planProblem.rowFirst()[unit]; row < planProblem.rowFirst()[unit + 1]; row++) {
      if (planProblem.rowLimit()[row] == limit) {
        return planProblem.rowTakes()[row];
      }
    }
    return 0;
  }
}
