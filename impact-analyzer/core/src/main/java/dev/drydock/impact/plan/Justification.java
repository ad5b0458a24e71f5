package dev.drydock.impact.plan;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Shortens a schedule by moving its units to and fro (forward-backward improvement):
 *
 * <ol>
 *   <li>Units are taken by their ends, last ones first, and each is moved as late as it fits.
 *   <li>Then by their beginnings in what came of that, first ones first, and each is moved as early
 *       as it fits. The gaps that streaming leaves, because it begins whatever fits first, close.
 *   <li>Now and then the ends are first shaken a little, as another schedule may be shorter still.
 * </ol>
 *
 * <p>In what it finds a unit may wait although it would fit, because one that comes before it is
 * about to need the room: the order with backfill that delays nobody (protocol P3).
 *
 * <p>Properties: never longer than what it began with; no unit could begin earlier beside all
 * others. Only for work that {@link #suits}: capacity is the same in both directions of time.
 */
final class Justification {
  /** By how much ends are shaken in one round after the other, of the makespan. */
  private static final double[] SHAKEN = {0, 0.001, 0.01, 0.03, 0.1};

  private static final int UNITS_PER_LOOK = 64;

  private final PlanProblem planProblem;
  private final SearchBudget searchBudget;
  private final ResourceProfile[] profiles;
  private final SplittableRandom random = new SplittableRandom(1);
  private final long[] key;
  private Schedule best;
  private int rounds;
  private long checks;

  Justification(PlanProblem planProblem, SearchBudget searchBudget, Schedule first) {
    this.planProblem = planProblem;
    this.searchBudget = searchBudget;
    this.best = first;
    this.key = new long[planProblem.units()];
    this.profiles = new ResourceProfile[planProblem.limits().size()];
    Arrays.setAll(profiles, _ -> new ResourceProfile());
  }

  /** Whether all that limits the work is capacity, and all of it is of one rollout. */
  static boolean suits(PlanProblem planProblem) {
    boolean suits = planProblem.standing().length == 1;
    for (int unit = 0; suits && unit < planProblem.units(); unit++) {
      suits = !planProblem.isDown(unit);
    }
    for (int limit = 0; suits && limit < planProblem.limits().size(); limit++) {
      suits = planProblem.limits().kind(limit) == PlanLimits.CAPACITY;
    }
    return suits;
  }

  long makespan() {
    return best.makespan();
  }

  /** The best so far. */
  Schedule schedule() {
    return best;
  }

  /** Goes on with this schedule if it, or what moving its units makes of it, is the best so far. */
  void offer(Schedule other) {
    best = other.makespan() < best.makespan() ? other : best;
    round(other.begins(), 0);
  }

  /** Moves all units to and fro, as often and as far as the budget lasts. */
  void rounds(int most, long bound) {
    for (int round = 0; round < most && makespan() > bound && searchBudget.isLeft(); round++) {
      round(best.begins(), SHAKEN[rounds++ % SHAKEN.length]);
    }
  }

  private void round(long[] from, double shaken) {
    long latest = latest(from);
    for (int unit = 0; unit < key.length; unit++) {
      long shake = (long) (shaken * latest * random.nextDouble());
      key[unit] = latest - from[unit] - planProblem.millis()[unit] + shake;
    }
    long[] late = new long[key.length];
    if (!place(late)) {
      return;
    }
    // Time runs backwards in it: what begins last there ends first.
    latest = latest(late);
    for (int unit = 0; unit < key.length; unit++) {
      key[unit] = latest - late[unit] - planProblem.millis()[unit];
    }
    long[] early = new long[key.length];
    if (place(early) && latest(early) <= best.makespan()) {
      best = new Schedule(early, new int[early.length], latest(early), best.checks() + checks);
      checks = 0;
    }
  }

  private long latest(long[] of) {
    long latest = 0;
    for (int unit = 0; unit < of.length; unit++) {
      latest = Math.max(latest, of[unit] + planProblem.millis()[unit]);
    }
    return latest;
  }

  /** Each unit by its key as early as it fits; false when the budget ended before. */
  private boolean place(long[] found) {
    for (ResourceProfile resourceProfile : profiles) {
      resourceProfile.clear();
    }
    long[] order = new long[key.length];
    Arrays.setAll(order, unit -> key[unit] * key.length + unit);
    Arrays.sort(order);
    for (int place = 0; place < order.length; place++) {
      if (place % UNITS_PER_LOOK == 0 && !searchBudget.isLeft()) {
        return false;
      }
      int unit = (int) (order[place] % key.length);
      found[unit] = earliest(unit);
      for (int row = planProblem.rowFirst()[unit]; row < planProblem.rowFirst()[unit + 1]; row++) {
        profiles[planProblem.rowLimit()[row]].take(
            found[unit], found[unit] + planProblem.millis()[unit], planProblem.rowTakes()[row]);
      }
    }
    return true;
  }

  private long earliest(int unit) {
    long begin = 0;
    long before;
    do {
      before = begin;
      checks++;
      for (int row = planProblem.rowFirst()[unit]; row < planProblem.rowFirst()[unit + 1]; row++) {
        int limit = planProblem.rowLimit()[row];
        begin =
            profiles[limit].earliest(
                begin,
                planProblem.millis()[unit],
                planProblem.rowTakes()[row],
                planProblem.limits().most(limit));
      }
    } while (begin > before);
    return begin;
  }
}
