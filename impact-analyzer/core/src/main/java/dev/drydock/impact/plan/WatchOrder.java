package dev.drydock.impact.plan;

import java.util.Arrays;

/**
 * In which order the limits of a unit are looked at. Who is blocked waits on the first limit that
 * blocks it and is asked again whenever that has room, mostly in vain, as others block it too. A
 * limit that lets few begin at once seldom gets room: so those come first, and a host of one large
 * and nine small applications is not asked each time some host of the large one is done. Otherwise
 * a decision would cost more the larger the largest applications of a fleet are.
 *
 * <p>Properties: which limit is waited on changes what a decision costs, not which units begin.
 */
final class WatchOrder {
  private WatchOrder() {}

  /** Sorts limits of capacity within each unit, by what they allow; others stay at their places. */
  static void sort(PlanLimits planLimits, int[] rowFirst, int[] rowLimit, int[] rowTakes) {
    for (int unit = 0; unit + 1 < rowFirst.length; unit++) {
      int[] rows = new int[rowFirst[unit + 1] - rowFirst[unit]];
      int size = 0;
      for (int row = rowFirst[unit]; row < rowFirst[unit + 1]; row++) {
        if (planLimits.kind(rowLimit[row]) == PlanLimits.CAPACITY) {
          rows[size++] = row;
        }
      }
      fewestFirst(planLimits, Arrays.copyOf(rows, size), rowLimit, rowTakes);
    }
  }

  private static void fewestFirst(
      PlanLimits planLimits, int[] rows, int[] rowLimit, int[] rowTakes) {
    long[] sorted = new long[rows.length];
    Arrays.setAll(sorted, i -> (long) planLimits.most(rowLimit[rows[i]]) << 32 | rows[i]);
    Arrays.sort(sorted);
    int[] limit = Arrays.stream(sorted).mapToInt(row -> rowLimit[(int) row]).toArray();
    int[] takes = Arrays.stream(sorted).mapToInt(row -> rowTakes[(int) row]).toArray();
    for (int i = 0; i < rows.length; i++) {
      rowLimit[rows[i]] = limit[i];
      rowTakes[rows[i]] = takes[i];
    }
  }
}
