package dev.drydock.lock.core.history;

import dev.drydock.lock.core.LockRecord;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One line of the history of tickets and locks.
 *
 * @param id ticket id of a ticket or session lock, grant id of a hold; empty for the brake and for
 *     a gap
 * @param kind empty where there is no lock
 * @param holder principal on whose behalf; empty where the log does not say it
 * @param by who did it
 * @param token fencing number of the lock, 0 for a ticket
 * @param grantedAt the grantor's clock when the lock was granted, where there is one that says so
 */
public record HistoryEntry(
    long revision,
    What what,
    String id,
    Optional<LockRecord.Kind> kind,
    List<String> hosts,
    String holder,
    String by,
    String reason,
    long token,
    Optional<String> rollout,
    Optional<Instant> grantedAt) {

  /** Where there is no lock that was granted. */
  HistoryEntry(
      long revision,
      What what,
      String id,
      Optional<LockRecord.Kind> kind,
      List<String> hosts,
      String holder,
      String by,
      String reason,
      long token,
      Optional<String> rollout) {
    this(revision, what, id, kind, hosts, holder, by, reason, token, rollout, Optional.empty());
  }

  /** What happened. */
  public enum What {
    /** A ticket entered the queue. */
    QUEUED,
    /** A ticket left the queue without a lock. */
    LEFT,
    /** Hosts were locked. */
    GRANTED,
    /** A check let a hold go on. */
    CHECKED,
    /** A hold became a quarantine. */
    QUARANTINED,
    /** The holder of a session lock fell silent or its time was up: it no longer excludes. */
    LAPSED,
    /** Hosts were given back. */
    ENDED,
    /** The fleet brake was pulled. */
    FROZEN,
    /** The fleet brake was lifted. */
    UNFROZEN,
    /** The store forgot what happened up to this revision before it was written down. */
    GAP
  }

  public HistoryEntry {
    hosts = List.copyOf(hosts);
  }

  /** What happened from one revision to another will never be known. */
  public static HistoryEntry gap(long from, long to) {
    return new HistoryEntry(
        to,
        What.GAP,
        "",
        Optional.empty(),
        List.of(),
        "",
        "etcd",
        "what happened at revisions " + from + " to " + to + " was forgotten before it was read",
        0,
        Optional.empty());
  }
}
