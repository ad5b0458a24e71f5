package dev.drydock.impact.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** How others go through a fleet, under the same rules; makespans in milliseconds. */
final class OtherWays {
  private final PlanProblem planProblem;
  private final IntList ignored = new IntList();

  OtherWays(PlanProblem planProblem) {
    this.planProblem = planProblem;
  }

  long oneAtATime() {
    return Arrays.stream(planProblem.millis()).sum();
  }

  /** As many as the rules allow, in our order; the next wave when all of the last are done. */
  long barrierWaves() {
    List<Integer> left = new ArrayList<>();
    for (int unit :
        InitialOrders.heaviestFirst(planProblem, InitialOrders.conflictWeight(planProblem, 2))) {
      left.add(unit);
    }
    long end = 0;
    while (!left.isEmpty()) {
      LimitUsage limitUsage = new LimitUsage(planProblem);
      List<Integer> next = new ArrayList<>();
      long longest = 0;
      for (int unit : left) {
        if (limitUsage.blocker(unit) == LimitUsage.FREE) {
          limitUsage.take(unit, ignored, ignored);
          longest = Math.max(longest, planProblem.millis()[unit]);
        } else {
          next.add(unit);
        }
      }
      ignored.clear();
      end += longest;
      left = next;
    }
    return end;
  }

  /**
   * Batches of one size in the order of the inventory, each after the last: the largest size with
   * which no batch breaks a rule (Ansible's serial).
   */
  long serial() {
    int size = 1;
    while (fits(size + 1)) {
      size++;
    }
    long end = 0;
    for (int from = 0; from < planProblem.units(); from += size) {
      end += longest(from, Math.min(planProblem.units(), from + size));
    }
    return end;
  }

  private boolean fits(int size) {
    for (int from = 0; from < planProblem.units(); from += size) {
      LimitUsage limitUsage = new LimitUsage(planProblem);
      for (int unit = from; unit < Math.min(planProblem.units(), from + size); unit++) {
        if (limitUsage.blocker(unit) != LimitUsage.FREE) {
          return false;
        }
        limitUsage.take(unit, ignored, ignored);
      }
      ignored.clear();
    }
    return size < planProblem.units();
  }

  private long longest(int from, int to) {
    return Arrays.stream(planProblem.millis(), from, to).max().orElse(0);
  }

  /**
   * Pools of a hundred hosts, in each one at a time (maxUnavailable 1) and never more than the
   * rules allow, as eviction refuses what breaks a budget.
   */
  long perPool() {
    LimitUsage limitUsage = new LimitUsage(planProblem);
    MomentQueue ends = new MomentQueue();
    int pools = (planProblem.units() + 99) / 100;
    int[] next = new int[pools];
    boolean[] busy = new boolean[pools];
    long now = 0;
    while (true) {
      for (int pool = 0; pool < pools; pool++) {
        int unit = pool * 100 + next[pool];
        boolean left = next[pool] < 100 && unit < planProblem.units();
        if (left && !busy[pool] && limitUsage.blocker(unit) == LimitUsage.FREE) {
          limitUsage.take(unit, ignored, ignored);
          busy[pool] = true;
          ends.add(now + planProblem.millis()[unit], unit);
        }
      }
      ignored.clear();
      if (ends.isEmpty()) {
        return now;
      }
      now = ends.soonest();
      int ended = ends.remove();
      limitUsage.give(ended, ignored, ignored);
      busy[ended / 100] = false;
      next[ended / 100]++;
    }
  }
}
