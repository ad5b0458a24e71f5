package dev.drydock.lock.etcd;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Where a grantor is asked from its own process, without a way through etcd. Open while it leads.
 * Safe for use by many threads.
 */
final class Door<C extends Door.Caller> {

  /** Who comes. Is told something in any case, by methods that do not block. */
  interface Caller {
    /** Whether it still waits for an answer. */
    boolean wanted();

    /** It is to go the way of everybody. */
    void turnedBack();
  }

  private final Queue<C> waiting = new ArrayDeque<>();
  private @Nullable Runnable bell;
  private boolean ajar = true;

  /** Takes the caller in if the door is open. */
  boolean offer(C caller) {
    Runnable rung;
    synchronized (this) {
      if (bell == null || !ajar) {
        return false;
      }
      rung = bell;
      waiting.add(caller);
    }
    rung.run();
    return true;
  }

  /**
   * Opens the door.
   *
   * @param ring called when somebody comes; must not block
   */
  synchronized void open(Runnable ring) {
    bell = ring;
  }

  /** Whether anybody else may come in while it is open. */
  synchronized void admit(boolean others) {
    ajar = others;
  }

  /** Nobody comes in any more, and who did is turned back. */
  void close() {
    List<C> left;
    synchronized (this) {
      bell = null;
      left = new ArrayList<>(waiting);
      waiting.clear();
    }
    left.forEach(Caller::turnedBack);
  }

  /** Those who came, in order, for the grantor to decide about. */
  synchronized List<C> take(int most) {
    List<C> taken = new ArrayList<>();
    while (taken.size() < most && !waiting.isEmpty()) {
      C caller = waiting.remove();
      if (caller.wanted()) {
        taken.add(caller);
      }
    }
    return taken;
  }
}
