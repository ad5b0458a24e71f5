package dev.drydock.lock.core.txn;

import dev.drydock.lock.core.LockRecord;

/**
 * A key under the root, and what kind of value belongs there.
 *
 * @param <V> type of the value
 */
public sealed interface Key<V> {

  /** Bumped to fail every grant judged before; only its modification revision counts. */
  record Generation() implements Key<GenerationCause> {}

  /** Counts restores (protocol P10). */
  record Epoch() implements Key<Long> {}

  /** The beat of the last batch grant (protocol P10). */
  record Beat() implements Key<Long> {}

  /** There while nothing may be granted. */
  record Brake() implements Key<dev.drydock.lock.core.Brake> {}

  /** The elected grantor's vote; its create revision is the fence. */
  record Leader() implements Key<String> {}

  /** A place in the queue. */
  record Ticket(String id, int index) implements Key<dev.drydock.lock.core.Ticket> {}

  /** There while the client of a ticket or session lock is alive. */
  record Alive(String id) implements Key<dev.drydock.lock.core.txn.LivenessRecord> {}

  /** There until a session lock has lasted as long as it may; the value is that many seconds. */
  record Term(String id) implements Key<Integer> {}

  /** The hold on a host; its create revision is the token. */
  record Lock(String host) implements Key<LockRecord> {}

  /** A session lock on all its hosts; its create revision is the token. */
  record Session(String id) implements Key<SessionLock> {}

  /** What the end of a hold, or of part of a session lock, left behind on a host. */
  record Ended(String host) implements Key<dev.drydock.lock.core.EndedLock> {}

  /** Whoever creates it settles a batch grant. */
  record Grant(String id) implements Key<GrantMark> {}

  /** For how long a waiting ticket was passed. */
  record Passed(String id) implements Key<dev.drydock.lock.core.BackfillClock> {}

  /** Why a ticket waits, was refused or ended. */
  record Verdict(String id) implements Key<dev.drydock.lock.core.TicketNote> {}
}
