package dev.drydock.lock.core;

import dev.drydock.lock.core.LockRecord.Kind;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** What keeps a request from a host, before any admission is asked. */
public sealed interface Blocker {

  /** The host concerned. */
  String host();

  /** One clause for people. */
  String text();

  /**
   * When it is out of the way at the earliest that is known, or {@link #SOON}; empty when nothing
   * says.
   */
  Optional<Instant> until();

  /** Within a lease or a poll: too soon for anybody to go before who waits for it. */
  Instant SOON = Instant.MIN;

  /**
   * Somebody has the host.
   *
   * @param expired whether the lease or the term of its session lock is over
   */
  record HeldBy(String host, LockRecord lock, boolean expired) implements Blocker {
    @Override
    public Optional<Instant> until() {
      return expired ? Optional.of(SOON) : lock.enforcedEnd();
    }

    @Override
    public String text() {
      return host
          + " is held by "
          + lock.holder()
          + " ("
          + word(lock)
          + " "
          + lock.id()
          + lock.rollout().map(rollout -> " of rollout " + rollout).orElse("")
          + ": "
          + lock.reason()
          + ")"
          + (expired ? EXPIRED.formatted(lock.delay().toSeconds()) : "");
    }
  }

  /** Until when is not in the table: it is counted by whoever saw it expire. */
  String EXPIRED = ", whose client is gone and may believe in it for a last %d s";

  private static String word(LockRecord lock) {
    return switch (lock.kind()) {
      case SESSION -> "session lock";
      case BATCH -> "batch lock";
      case QUARANTINE -> "quarantine";
      case FLEETLOCK -> HoldIds.byHand(lock.id()) ? "maintenance" : "FleetLock hold";
    };
  }

  /**
   * Somebody waits for the host and came first.
   *
   * @param until when that one begins
   */
  record Behind(String host, Ticket ticket, Optional<Instant> until) implements Blocker {
    @Override
    public String text() {
      return host
          + " is awaited by "
          + ticket.holder()
          + ", who came first (ticket "
          + ticket.id()
          + ": "
          + ticket.reason()
          + ")";
    }
  }

  /** When all of them are out of the way; empty when nothing says, or there are none. */
  static Optional<Instant> latest(List<Blocker> blockers) {
    if (blockers.isEmpty()) {
      return Optional.empty();
    }
    Optional<Instant> latest = Optional.of(SOON);
    for (Blocker blocker : blockers) {
      latest =
          latest.flatMap(until -> blocker.until().map(next -> next.isAfter(until) ? next : until));
    }
    return latest;
  }

  /** Whether a client is among them who is gone: its host is free soon. */
  static boolean expired(List<Blocker> blockers) {
    return blockers.stream().anyMatch(blocker -> blocker instanceof HeldBy held && held.expired());
  }

  /** Whether a quarantine is among them, which only people end. */
  static boolean quarantined(List<Blocker> blockers) {
    return blockers.stream()
        .anyMatch(
            blocker -> blocker instanceof HeldBy held && held.lock().kind() == Kind.QUARANTINE);
  }

  /** One sentence out of the first few blockers. */
  static String sentence(List<Blocker> blockers) {
    String named =
        blockers.stream().limit(NAMED).map(Blocker::text).collect(Collectors.joining("; "));
    int more = blockers.size() - NAMED;
    return more > 0 ? named + "; and " + more + " more" : named;
  }

  /** How many blockers a sentence names; a rack of them would not be read. */
  int NAMED = 3;
}
