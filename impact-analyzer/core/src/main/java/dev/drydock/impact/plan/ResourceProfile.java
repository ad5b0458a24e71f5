package dev.drydock.impact.plan;

import java.util.Arrays;

/** How much of one limit is taken from when to when, by units whose times are known. */
final class ResourceProfile {
  /** Between one of these times and the next the amount beside it is taken. */
  private long[] from = new long[8];

  private int[] taken = new int[8];
  private int size = 1;

  void clear() {
    size = 1;
    taken[0] = 0;
  }

  /** The first time from {@code when} on at which so much is free for so long. */
  long earliest(long when, long millis, int takes, int most) {
    long begin = when;
    int at = at(when);
    while (at < size && from[at] < begin + millis) {
      if (taken[at] + takes > most) {
        begin = from[at + 1]; // There is one: beyond the last nothing is taken.
      }
      at++;
    }
    return begin;
  }

  void take(long begin, long end, int takes) {
    split(begin);
    split(end);
    for (int at = at(begin); from[at] < end; at++) {
      taken[at] += takes;
    }
  }

  /** The span that contains the time. */
  private int at(long when) {
    int low = 0;
    int high = size - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (from[middle] <= when) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  private void split(long when) {
    int at = at(when);
    if (from[at] == when) {
      return;
    }
    if (size == from.length) {
      from = Arrays.copyOf(from, 2 * size);
      taken = Arrays.copyOf(taken, 2 * size);
    }
    System.arraycopy(from, at + 1, from, at + 2, size - at - 1);
    System.arraycopy(taken, at + 1, taken, at + 2, size - at - 1);
    from[at + 1] = when;
    taken[at + 1] = taken[at];
    size++;
  }
}
