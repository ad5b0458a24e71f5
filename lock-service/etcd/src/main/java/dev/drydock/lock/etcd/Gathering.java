package dev.drydock.lock.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Gathers those who are in no hurry, so that they go together: whoever comes goes no later than
 * after its own time, with everybody who came by then, in order. Safe for use by many threads.
 */
final class Gathering<T> {

  /** Runs something once, after a time, in a thread that may be kept. */
  interface Timer {
    Timer SYSTEM =
        (time, task) ->
            CompletableFuture.delayedExecutor(
                    time.toNanos(), TimeUnit.NANOSECONDS, Thread::startVirtualThread)
                .execute(task);

    void after(Duration time, Runnable task);
  }

  private final Consumer<List<T>> sender;
  private final Timer timer;
  private final List<T> waiting = new ArrayList<>();
  private long due;

  /**
   * Nobody is there yet.
   *
   * @param sender told of those who go; must not fail
   */
  Gathering(Consumer<List<T>> sender, Timer timer) {
    this.sender = sender;
    this.timer = timer;
  }

  void add(T item, Duration longest) {
    long now = System.nanoTime();
    long end = now + longest.toNanos();
    synchronized (this) {
      waiting.add(item);
      // A timer that is late may never come.
      boolean goesAlong = waiting.size() > 1 && due - now > 0 && end - due >= 0;
      if (goesAlong) {
        return;
      }
      due = end;
    }
    timer.after(longest, this::go);
  }

  synchronized int size() {
    return waiting.size();
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
