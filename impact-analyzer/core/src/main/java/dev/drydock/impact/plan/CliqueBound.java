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

  private final Work work;
  private final int[] unitFirst;
  private final int[] unitOf;
  private final int[] takesMost;
  private final int[] stamp;
  private int stamps;
  private final SplittableRandom random = new SplittableRandom(1);

  private CliqueBound(Work work) {
    this.work = work;
    int size = work.limits().size();
    unitFirst = new int[size + 1];
    unitOf = new int[work.rowLimit().length];
    takesMost = new int[size];
    stamp = new int[work.units()];
    for (int row = 0; row < work.rowLimit().length; row++) {
      unitFirst[work.rowLimit()[row] + 1]++;
      int limit = work.rowLimit()[row];
      takesMost[limit] = Math.max(takesMost[limit], work.rowTakes()[row]);
    }
    for (int limit = 0; limit < size; limit++) {
      unitFirst[limit + 1] += unitFirst[limit];
    }
    int[] next = unitFirst.clone();
    for (int unit = 0; unit < work.units(); unit++) {
      for (int row = work.rowFirst()[unit]; row < work.rowFirst()[unit + 1]; row++) {
        unitOf[next[work.rowLimit()[row]]++] = unit;
      }
    }
  }

  /**
   * The heaviest found; the search ends early where the first ones are far from what another
   * formula gave.
   */
  static Bound of(Work work, Bound other, Budget budget) {
    CliqueBound search = new CliqueBound(work);
    Ints best = new Ints();
    long heaviest = 0;
    int starts = Math.min(STARTS_MOST, 4 * work.units());
    for (int start = 0; start < starts; start++) {
      boolean hopeless = heaviest * 2 < other.millis() || !budget.isLeft();
      if (start >= STARTS_LEAST && hopeless) {
        break;
      }
      int first =
          start < work.units() && start >= STARTS_LEAST
              ? start
              : search.random.nextInt(work.units());
      Ints clique = search.grow(first);
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
                best.size() == 0 ? "none" : String.join(", ", work.names(best.get(0)))));
  }

  private long weight(Ints clique) {
    long weight = 0;
    for (int i = 0; i < clique.size(); i++) {
      weight += work.millis()[clique.get(i)];
    }
    return weight;
  }

  private Ints grow(int first) {
    Ints clique = new Ints();
    if (work.isDown(first)) {
      return clique;
    }
    clique.add(first);
    Ints candidates = neighbours(first);
    while (candidates.size() > 0) {
      int chosen = choose(candidates);
      clique.add(chosen);
      Ints near = neighbours(chosen);
      int mark = ++stamps;
      for (int i = 0; i < near.size(); i++) {
        stamp[near.get(i)] = mark;
      }
      Ints both = new Ints();
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
  private int choose(Ints candidates) {
    int best = -1;
    double bestScore = -1;
    for (int tries = 0; tries < 4; tries++) {
      int unit = candidates.get(random.nextInt(candidates.size()));
      double score = work.millis()[unit];
      for (int row = work.rowFirst()[unit]; row < work.rowFirst()[unit + 1]; row++) {
        int limit = work.rowLimit()[row];
        if (excludes(limit, work.rowTakes()[row])) {
          score += (double) work.millis()[unit] * (unitFirst[limit + 1] - unitFirst[limit]);
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
    return work.limits().kind(limit) == Limits.CAPACITY
        && takes + takesMost[limit] > work.limits().most(limit);
  }

  /** Units that cannot be down together with this one, each once. */
  private Ints neighbours(int of) {
    Ints near = new Ints();
    int mark = ++stamps;
    stamp[of] = mark;
    for (int row = work.rowFirst()[of]; row < work.rowFirst()[of + 1]; row++) {
      int limit = work.rowLimit()[row];
      int takes = work.rowTakes()[row];
      for (int at = unitFirst[limit]; excludes(limit, takes) && at < unitFirst[limit + 1]; at++) {
        int unit = unitOf[at];
        if (stamp[unit] != mark
            && !work.isDown(unit)
            && takesOf(unit, limit) + takes > work.limits().most(limit)) {
          stamp[unit] = mark;
          near.add(unit);
        }
      }
    }
    return near;
  }

  private int takesOf(int unit, int limit) {
    for (int row = work.rowFirst()[unit]; row < work.rowFirst()[unit + 1]; row++) {
      if (work.rowLimit()[row] == limit) {
        return work.rowTakes()[row];
      }
    }
    return 0;
  }
}
