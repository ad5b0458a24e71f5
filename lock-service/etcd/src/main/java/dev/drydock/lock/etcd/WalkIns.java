package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Ticket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The grantor's door for clients in its own process: while it is open, who finds its hosts free
 * asks the grantor itself and needs no ticket. Safe for use by many threads.
 */
final class WalkIns {

  /** One of them. Exactly one of the three ends is told, and none of them blocks. */
  interface Guest {
    Ticket ticket();

    /** It is decided about by no older state than that of this revision. */
    long since();

    /** Whether somebody still waits for it; if not, its client was told so. */
    boolean wanted();

    /** Its hosts are locked, as of a revision. */
    void granted(long revision);

    /** It is to enter the queue like everybody. */
    void turnedBack();

    /** It may be granted or not: to be read back. */
    void unsettled();
  }

  private final Queue<Guest> waiting = new ArrayDeque<>();
  private @Nullable Runnable bell;

  /** Takes the guest in if the door is open. */
  boolean offer(Guest guest) {
    Runnable rung;
    synchronized (this) {
      if (bell == null) {
        return false;
      }
      rung = bell;
      waiting.add(guest);
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

  /** Nobody comes in any more, and who did is turned back. */
  void close() {
    List<Guest> left;
    synchronized (this) {
      bell = null;
      left = new ArrayList<>(waiting);
      waiting.clear();
    }
    left.forEach(Guest::turnedBack);
  }

  /** Those who came, in order, for the grantor to decide about. */
  synchronized List<Guest> take(int most) {
    List<Guest> taken = new ArrayList<>();
    while (taken.size() < most && !waiting.isEmpty()) {
      Guest guest = waiting.remove();
      if (guest.wanted()) {
        taken.add(guest);
      }
    }
    return taken;
  }
}
