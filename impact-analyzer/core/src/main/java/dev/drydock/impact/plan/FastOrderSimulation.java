package dev.drydock.impact.plan;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * {@link OrderSimulation} for work that only capacity limits, a few hundred units of it, and tens
 * of thousands of orders: which units exclude each other is one bit each, and only limits that
 * three or more units fill together are counted.
 *
 * <p>Properties: answers for every order exactly what the simulation without reservations does.
 */
final class FastOrderSimulation {
  private static final int UNITS_MOST = 500;

  private final int units;
  private final long[] millis;
  private final long[][] excludes;
  private final int[][] limitsOf;
  private final int[][] takesOf;
  private final int[] most;
  private final int[] used;
  private final long[] blocked;
  private final int[] next;
  private final long[] endOf;
  private final int[] running;
  private int runningCount;

  FastOrderSimulation(PlanProblem planProblem) {
    units = planProblem.units();
    millis = planProblem.millis();
    int words = (units + 63) >> 6;
    excludes = new long[units][words];
    limitsOf = new int[units][];
    takesOf = new int[units][];
    most = new int[planProblem.limits().size()];
    used = new int[most.length];
    Arrays.setAll(most, planProblem.limits()::most);
    blocked = new long[words];
    next = new int[units + 1];
    endOf = new long[units];
    running = new int[units];
    boolean[] counted = exclusions(planProblem);
    for (int unit = 0; unit < units; unit++) {
      int from = planProblem.rowFirst()[unit];
      int[] rows =
          IntStream.range(from, planProblem.rowFirst()[unit + 1])
              .filter(row -> counted[planProblem.rowLimit()[row]])
              .toArray();
      limitsOf[unit] = Arrays.stream(rows).map(row -> planProblem.rowLimit()[row]).toArray();
      takesOf[unit] = Arrays.stream(rows).map(row -> planProblem.rowTakes()[row]).toArray();
    }
  }

  /** Whether it can stand for the simulation of this work. */
  static boolean suits(PlanProblem planProblem) {
    return planProblem.units() <= UNITS_MOST && Justification.suits(planProblem);
  }

  /** Notes who excludes whom; true for limits that some may fill without any two excluding. */
  private boolean[] exclusions(PlanProblem planProblem) {
    IntList[] unitsOf = new IntList[most.length];
    IntList[] takes = new IntList[most.length];
    for (int unit = 0; unit < units; unit++) {
      for (int row = planProblem.rowFirst()[unit]; row < planProblem.rowFirst()[unit + 1]; row++) {
        int limit = planProblem.rowLimit()[row];
        if (unitsOf[limit] == null) {
          unitsOf[limit] = new IntList();
          takes[limit] = new IntList();
        }
        unitsOf[limit].add(unit);
        takes[limit].add(planProblem.rowTakes()[row]);
      }
    }
    boolean[] counted = new boolean[most.length];
    for (int limit = 0; limit < most.length; limit++) {
      int sum = 0;
      boolean someFit = false;
      for (int a = 0; unitsOf[limit] != null && a < unitsOf[limit].size(); a++) {
        sum += takes[limit].get(a);
        for (int b = 0; b < a; b++) {
          if (takes[limit].get(a) + takes[limit].get(b) > most[limit]) {
            exclude(unitsOf[limit].get(a), unitsOf[limit].get(b));
          } else {
            someFit = true;
          }
        }
      }
      counted[limit] = someFit && sum > most[limit];
    }
    return counted;
  }

  private void exclude(int one, int other) {
    excludes[one][other >> 6] |= 1L << other;
    excludes[other][one >> 6] |= 1L << one;
  }

  /** When the last unit ends; {@link Schedule#TOO_LONG} as soon as that is after {@code atMost}. */
  long makespan(int[] order, long atMost) {
    int head = units;
    for (int place = units - 1; place >= 0; place--) {
      next[order[place]] = head;
      head = order[place];
    }
    next[units] = head; // The list of those that wait begins and ends here.
    Arrays.fill(blocked, 0);
    Arrays.fill(used, 0);
    runningCount = 0;
    long now = 0;
    long last = 0;
    while (true) {
      int before = units;
      for (int unit = next[units]; unit != units; unit = next[unit]) {
        if ((blocked[unit >> 6] >>> unit & 1) == 0 && fits(unit)) {
          next[before] = next[unit];
          begin(unit, now);
          last = Math.max(last, now + millis[unit]);
        } else {
          before = unit;
        }
      }
      if (last > atMost) {
        return Schedule.TOO_LONG;
      }
      if (next[units] == units) {
        return last;
      }
      now = end();
    }
  }

  private boolean fits(int unit) {
    int[] limits = limitsOf[unit];
    for (int i = 0; i < limits.length; i++) {
      if (used[limits[i]] + takesOf[unit][i] > most[limits[i]]) {
        return false;
      }
    }
    return true;
  }

  private void begin(int unit, long now) {
    endOf[unit] = now + millis[unit];
    running[runningCount++] = unit;
    count(unit, 1);
    or(excludes[unit]);
  }

  private void or(long[] more) {
    for (int word = 0; word < blocked.length; word++) {
      blocked[word] |= more[word];
    }
  }

  private void count(int unit, int sign) {
    for (int i = 0; i < limitsOf[unit].length; i++) {
      used[limitsOf[unit][i]] += sign * takesOf[unit][i];
    }
  }

  /** Ends those that end next, and answers when. */
  private long end() {
    long soonest = Long.MAX_VALUE;
    for (int i = 0; i < runningCount; i++) {
      soonest = Math.min(soonest, endOf[running[i]]);
    }
    Arrays.fill(blocked, 0);
    int left = 0;
    for (int i = 0; i < runningCount; i++) {
      int unit = running[i];
      if (endOf[unit] == soonest) {
        count(unit, -1);
      } else {
        running[left++] = unit;
        or(excludes[unit]);
      }
    }
    runningCount = left;
    return soonest;
  }
}
