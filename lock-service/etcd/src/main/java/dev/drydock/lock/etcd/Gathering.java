package dev.drydock.lock.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Gathers those who are in no hurry, so that they go together: whoever comes goes no later than
 * after its own time, with everybody who came by then, in order. Safe for use by many threads.
 */
final class Gathering<T> {
  private final Consumer<List<T>> sender;
  private final BiConsumer<Runnable, Duration> timer;
  private final List<T> waiting = new ArrayList<>();
  private long due;

  /**
   * Nobody is there yet.
   *
   * @param sender told of those who go; must not fail
   * @param timer runs something once after a time
   */
  Gathering(Consumer<List<T>> sender, BiConsumer<Runnable, Duration> timer) {
    this.sender = sender;
    this.timer = timer;
  }

  void add(T item, Duration longest) {
    long end = System.nanoTime() + longest.toNanos();
    synchronized (this) {
      waiting.add(item);
      if (waiting.size() > 1 && end - due >= 0) {
        return;
      }
      due = end;
    }
    timer.accept(this::go, longest);
  }

  /** Who came since an earlier end goes before its time, which does no harm. */
  private void go() {
    List<T> going;
    synchronized (this) {
      going = List.copyOf(waiting);
      waiting.clear();
    }
    if (!going.isEmpty()) {
      sender.accept(going);
    }
  }
}
