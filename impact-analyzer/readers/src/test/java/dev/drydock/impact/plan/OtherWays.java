package dev.drydock.impact.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** How others go through a fleet, under the same rules; makespans in milliseconds. */
final class OtherWays {
  private final Work work;
  private final Ints ignored = new Ints();

  OtherWays(Work work) {
    this.work = work;
  }

  long oneAtATime() {
    return Arrays.stream(work.millis()).sum();
  }

  /** As many as the rules allow, in our order; the next wave when all of the last are done. */
  long barrierWaves() {
    List<Integer> left = new ArrayList<>();
    for (int unit : Orders.heaviestFirst(work, Orders.conflictWeight(work, 2))) {
      left.add(unit);
    }
    long end = 0;
    while (!left.isEmpty()) {
      Usage usage = new Usage(work);
      List<Integer> next = new ArrayList<>();
      long longest = 0;
      for (int unit : left) {
        if (usage.blocker(unit) == Usage.FREE) {
          usage.take(unit, ignored, ignored);
          longest = Math.max(longest, work.millis()[unit]);
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
    for (int from = 0; from < work.units(); from += size) {
      end += longest(from, Math.min(work.units(), from + size));
    }
    return end;
  }

  private boolean fits(int size) {
    for (int from = 0; from < work.units(); from += size) {
      Usage usage = new Usage(work);
      for (int unit = from; unit < Math.min(work.units(), from + size); unit++) {
        if (usage.blocker(unit) != Usage.FREE) {
          return false;
        }
        usage.take(unit, ignored, ignored);
      }
      ignored.clear();
    }
    return size < work.units();
  }

  private long longest(int from, int to) {
    return Arrays.stream(work.millis(), from, to).max().orElse(0);
  }

  /**
   * Pools of a hundred hosts, in each one at a time (maxUnavailable 1) and never more than the
   * rules allow, as eviction refuses what breaks a budget.
   */
  long perPool() {
    Usage usage = new Usage(work);
    Moments ends = new Moments();
    int pools = (work.units() + 99) / 100;
    int[] next = new int[pools];
    boolean[] busy = new boolean[pools];
    long now = 0;
    while (true) {
      for (int pool = 0; pool < pools; pool++) {
        int unit = pool * 100 + next[pool];
        boolean left = next[pool] < 100 && unit < work.units();
        if (left && !busy[pool] && usage.blocker(unit) == Usage.FREE) {
          usage.take(unit, ignored, ignored);
          busy[pool] = true;
          ends.add(now + work.millis()[unit], unit);
        }
      }
      ignored.clear();
      if (ends.isEmpty()) {
        return now;
      }
      now = ends.soonest();
      int ended = ends.remove();
      usage.give(ended, ignored, ignored);
      busy[ended / 100] = false;
      next[ended / 100]++;
    }
  }
}
