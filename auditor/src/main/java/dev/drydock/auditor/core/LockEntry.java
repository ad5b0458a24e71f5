package dev.drydock.auditor.core;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A row of {@code lock_history}.
 *
 * @param at when it was written down: at what it tells of, or moments later
 * @param what Queued, Left, Granted, Checked, Quarantined, Lapsed, Ended, Frozen, Unfrozen or Gap
 * @param lock grant id of a hold, ticket id of any other lock
 * @param kind Batch, Session, FleetLock, Quarantine …
 */
public record LockEntry(
    long epoch,
    long revision,
    int ordinal,
    Instant at,
    String what,
    String lock,
    String kind,
    List<String> hosts,
    String by,
    String reason,
    Optional<String> rollout,
    Optional<Instant> grantedAt) {
  public LockEntry {
    hosts = List.copyOf(hosts);
  }

  /** As evidence. */
  String row() {
    return "lock_history %d/%d/%d: %s %s on %s at %s"
        .formatted(epoch, revision, ordinal, what, lock, String.join(",", hosts), at);
  }
}
