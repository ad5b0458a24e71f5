package dev.drydock.impact.plan;

import java.util.Arrays;

/** A list of numbers that grows. */
final class IntList {
  private int[] values = new int[16];
  private int size;

  void add(int value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, 2 * size);
    }
    values[size++] = value;
  }

  int get(int at) {
    return values[at];
  }

  void set(int at, int value) {
    values[at] = value;
  }

  int size() {
    return size;
  }

  void clear() {
    size = 0;
  }

  /** The last one takes its place. */
  void removeAt(int at) {
    values[at] = values[--size];
  }

  int[] all() {
    return Arrays.copyOf(values, size);
  }
}
