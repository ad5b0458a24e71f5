package dev.drydock.lock.core;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Everything the queue and its admission need to know, as of one etcd revision.
 *
 * @param locks by host; session locks whose alive key is gone (lapsed) included
 * @param tickets in queue order
 * @param ended by host
 * @param alive ids of session locks and tickets whose client is alive
 */
public record LockTable(
    long revision,
    Map<String, LockRecord> locks,
    List<Ticket> tickets,
    Map<String, Ended> ended,
    Set<String> alive) {

  public LockTable {
    locks = Map.copyOf(locks);
    tickets = List.copyOf(tickets);
    ended = Map.copyOf(ended);
    alive = Set.copyOf(alive);
  }

  /** A session lock whose holder died: it no longer excludes but counts as down (protocol P4). */
  public boolean lapsed(LockRecord lock) {
    return lock.kind() == LockRecord.Kind.SESSION && !alive.contains(lock.id());
  }
}
