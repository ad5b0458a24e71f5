package dev.drydock.lock.core;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Everything the queue and its admission need to know, as of one etcd revision. The maps and sets
 * are views, since a copy for each of many passes a second would be dear: who hands them over does
 * not change them while the table is in use.
 *
 * @param locks by host; session locks whose client is gone (expired or lapsed) included
 * @param tickets in queue order
 * @param ended by host
 * @param alive ids of session locks and tickets whose client is alive and whose term, if they have
 *     one, is not over
 * @param brake set while nothing may be granted
 * @param passed clocks of waiting tickets that others went before, by ticket id
 */
public record LockTable(
    long revision,
    Map<String, LockRecord> locks,
    List<Ticket> tickets,
    Map<String, EndedLock> ended,
    Set<String> alive,
    Optional<Brake> brake,
    Map<String, BackfillClock> passed) {

  public LockTable {
    locks = Collections.unmodifiableMap(locks);
    tickets = List.copyOf(tickets);
    ended = Collections.unmodifiableMap(ended);
    alive = Collections.unmodifiableSet(alive);
    passed = Collections.unmodifiableMap(passed);
  }

  /** A table while the brake is off and nobody was passed. */
  public LockTable(
      long revision,
      Map<String, LockRecord> locks,
      List<Ticket> tickets,
      Map<String, EndedLock> ended,
      Set<String> alive) {
    this(revision, locks, tickets, ended, alive, Optional.empty(), Map.of());
  }

  /**
   * A session lock whose lease or term is over. Its client may not have heard of that yet, so that
   * the lock excludes until it is noted as lapsed.
   */
  public boolean expired(LockRecord lock) {
    return lock.kind() == LockRecord.Kind.SESSION && !alive.contains(lock.id());
  }

  /**
   * A session lock in which nobody can believe any more: it no longer excludes but counts as down
   * (protocol P4).
   */
  public boolean lapsed(LockRecord lock) {
    return expired(lock) && noted(lock);
  }

  /** Whether it was written down that a lock lapsed, or outlived its maximum. */
  public boolean noted(LockRecord lock) {
    EndedLock noted = ended.get(lock.host());
    return noted != null && noted.isOf(lock);
  }
}
