package dev.drydock.auditor.core;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A row of {@code lock_history}.
 *
 * @param at when it was written down: at what it tells of, or moments later
 * @param what Queued, Left, Granted, Checked, Quarantined, Lapsed, Ended, Frozen, Unfrozen or Gap
 * @param lock grant id of a hold, ticket id of any other lock
 * @param kind Batch, Session, FleetLock, Quarantine …
 * @param lastEvent the last event when it was written down: later ones happened after what it tells
 *     of; empty when that is not kept
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
    Optional<Instant> grantedAt,
    OptionalLong lastEvent) {
  public LockEntry {
    hosts = List.copyOf(hosts);
  }

  /** An entry without a record of the events before it. */
  public LockEntry(
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
    this(
        epoch,
        revision,
        ordinal,
        at,
        what,
        lock,
        kind,
        hosts,
        by,
        reason,
        rollout,
        grantedAt,
        OptionalLong.empty());
  }

  /** Whether the event was surely written after what this tells of; no time proves that. */
  boolean before(LoggedEvent loggedEvent) {
    return lastEvent.isPresent() && loggedEvent.id() > lastEvent.getAsLong();
  }

  /** As evidence. */
  String row() {
    return "lock_history %d/%d/%d: %s %s on %s at %s"
        .formatted(epoch, revision, ordinal, what, lock, String.join(",", hosts), at);
  }
}
