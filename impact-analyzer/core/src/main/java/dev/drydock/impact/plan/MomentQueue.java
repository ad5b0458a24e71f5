package dev.drydock.impact.plan;

import java.util.Arrays;

/**
 * What is going to happen, soonest first: a number each, of a unit that ends or a limit that opens.
 */
final class MomentQueue {
  private long[] at = new long[16];
  private int[] what = new int[16];
  private int size;

  void clear() {
    size = 0;
  }

  boolean isEmpty() {
    return size == 0;
  }

  long soonest() {
    return at[0];
  }

  void add(long when, int which) {
    if (size == at.length) {
      at = Arrays.copyOf(at, 2 * size);
      what = Arrays.copyOf(what, 2 * size);
    }
    int hole = size++;
    while (hole > 0) {
      int parent = (hole - 1) >> 1;
      if (at[parent] <= when) {
        break;
      }
      at[hole] = at[parent];
      what[hole] = what[parent];
      hole = parent;
    }
    at[hole] = when;
    what[hole] = which;
  }

  int remove() {
    final int first = what[0];
    size--;
    long when = at[size];
    int which = what[size];
    int hole = 0;
    while (true) {
      int child = 2 * hole + 1;
      if (child >= size) {
        break;
      }
      if (child + 1 < size && at[child + 1] < at[child]) {
        child++;
      }
      if (at[child] >= when) {
        break;
      }
      at[hole] = at[child];
      what[hole] = what[child];
      hole = child;
    }
    at[hole] = when;
    what[hole] = which;
    return first;
  }
}
