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

  private final Work work;
  private final Budget budget;
  private final Profile[] profiles;
  private final SplittableRandom random = new SplittableRandom(1);
  private final long[] key;
  private Schedule best;
  private int rounds;
  private long checks;

  Justification(Work work, Budget budget, Schedule first) {
    this.work = work;
    this.budget = budget;
    this.best = first;
    this.key = new long[work.units()];
    this.profiles = new Profile[work.limits().size()];
    Arrays.setAll(profiles, _ -> new Profile());
  }

  /** Whether all that limits the work is capacity, and all of it is of one rollout. */
  static boolean suits(Work work) {
    boolean suits = work.standing().length == 1;
    for (int unit = 0; suits && unit < work.units(); unit++) {
      suits = !work.isDown(unit);
    }
    for (int limit = 0; suits && limit < work.limits().size(); limit++) {
      suits = work.limits().kind(limit) == Limits.CAPACITY;
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
    for (int round = 0; round < most && makespan() > bound && budget.isLeft(); round++) {
      round(best.begins(), SHAKEN[rounds++ % SHAKEN.length]);
    }
  }

  private void round(long[] from, double shaken) {
    long latest = latest(from);
    for (int unit = 0; unit < key.length; unit++) {
      long shake = (long) (shaken * latest * random.nextDouble());
      key[unit] = latest - from[unit] - work.millis()[unit] + shake;
    }
    long[] late = new long[key.length];
    if (!place(late)) {
      return;
    }
    // Time runs backwards in it: what begins last there ends first.
    latest = latest(late);
    for (int unit = 0; unit < key.length; unit++) {
      key[unit] = latest - late[unit] - work.millis()[unit];
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
      latest = Math.max(latest, of[unit] + work.millis()[unit]);
    }
    return latest;
  }

  /** Each unit by its key as early as it fits; false when the budget ended before. */
  private boolean place(long[] found) {
    for (Profile profile : profiles) {
      profile.clear();
    }
    long[] order = new long[key.length];
    Arrays.setAll(order, unit -> key[unit] * key.length + unit);
    Arrays.sort(order);
    for (int place = 0; place < order.length; place++) {
      if (place % UNITS_PER_LOOK == 0 && !budget.isLeft()) {
        return false;
      }
      int unit = (int) (order[place] % key.length);
      found[unit] = earliest(unit);
      for (int row = work.rowFirst()[unit]; row < work.rowFirst()[unit + 1]; row++) {
        profiles[work.rowLimit()[row]].take(
            found[unit], found[unit] + work.millis()[unit], work.rowTakes()[row]);
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
      for (int row = work.rowFirst()[unit]; row < work.rowFirst()[unit + 1]; row++) {
        int limit = work.rowLimit()[row];
        begin =
            profiles[limit].earliest(
                begin, work.millis()[unit], work.rowTakes()[row], work.limits().most(limit));
      }
    } while (begin > before);
    return begin;
  }
}
