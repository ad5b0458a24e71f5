package dev.drydock.lock.etcd;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Sends together what many want at the same time: the first at once, and while a group is on its
 * way whoever comes waits for the next one. At most one group is on its way. Safe for use by many
 * threads.
 */
final class GroupLane<T extends GroupLane.Item> {

  /** Something to send. */
  interface Item {
    /** Operations it takes in a transaction. */
    int weight();

    /** About how many bytes it takes. */
    int bytes();

    /** What no other item of its group may write as well. */
    default Set<String> writes() {
      return Set.of();
    }
  }

  /** The most of a group; an item that is larger goes alone. */
  record Limits(int weight, int bytes) {}

  private final Limits limits;
  private final Function<List<T>, CompletableFuture<Void>> sender;
  private final Deque<T> waiting = new ArrayDeque<>();
  private boolean busy;

  /**
   * A lane.
   *
   * @param sender sends a group and settles each of its items; what it returns ends when the next
   *     group may be sent, and does not fail
   */
  GroupLane(Limits limits, Function<List<T>, CompletableFuture<Void>> sender) {
    this.limits = limits;
    this.sender = sender;
  }

  void add(T item) {
    add(List.of(item));
  }

  /** In order, and in one group if they fit. */
  void add(List<T> items) {
    synchronized (this) {
      waiting.addAll(items);
      if (busy) {
        return;
      }
      busy = true;
    }
    next();
  }

  /** Items of a group that have to be sent again; they go first. */
  synchronized void again(List<T> items) {
    items.reversed().forEach(waiting::addFirst);
  }

  private void next() {
    List<T> group = take();
    if (!group.isEmpty()) {
      sender.apply(group).whenComplete((sent, failed) -> next());
    }
  }

  private synchronized List<T> take() {
    List<T> group = new ArrayList<>();
    Set<String> written = new HashSet<>();
    int weight = 0;
    int bytes = 0;
    while (!waiting.isEmpty()) {
      T item = waiting.peek();
      weight += item.weight();
      bytes += item.bytes();
      if (!group.isEmpty() && (weight > limits.weight() || bytes > limits.bytes())) {
        break;
      }
      Set<String> writes = item.writes();
      if (!Collections.disjoint(written, writes)) {
        break;
      }
      written.addAll(writes);
      group.add(waiting.remove());
    }
    busy = !group.isEmpty();
    return group;
  }
}
