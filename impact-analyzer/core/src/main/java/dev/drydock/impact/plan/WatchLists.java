package dev.drydock.impact.plan;

import java.util.Arrays;

/**
 * Who waits on what: for each limit the places in the order of those it blocks, first ones first.
 */
final class WatchLists {
  private static final int[] NONE = {};

  private final int[][] heaps;
  private final int[] sizes;

  WatchLists(int limits) {
    heaps = new int[limits][];
    Arrays.fill(heaps, NONE);
    sizes = new int[limits];
  }

  void clear() {
    Arrays.fill(sizes, 0);
  }

  boolean isEmpty(int limit) {
    return sizes[limit] == 0;
  }

  int first(int limit) {
    return heaps[limit][0];
  }

  void add(int limit, int place) {
    int[] heap = heaps[limit];
    int at = sizes[limit]++;
    if (at == heap.length) {
      heap = Arrays.copyOf(heap, Math.max(4, 2 * at));
      heaps[limit] = heap;
    }
    while (at > 0) {
      int parent = (at - 1) >> 1;
      if (heap[parent] <= place) {
        break;
      }
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = place;
  }

  int removeFirst(int limit) {
    int[] heap = heaps[limit];
    int first = heap[0];
    int size = --sizes[limit];
    int last = heap[size];
    int at = 0;
    while (true) {
      int child = 2 * at + 1;
      if (child >= size) {
        break;
      }
      if (child + 1 < size && heap[child + 1] < heap[child]) {
        child++;
      }
      if (heap[child] >= last) {
        break;
      }
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = last;
    return first;
  }
}
