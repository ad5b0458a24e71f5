package dev.drydock.lock.core;

import java.util.List;
import java.util.stream.Collectors;

/** What keeps a request from a host, before any admission is asked. */
public sealed interface Blocker {

  /** The host concerned. */
  String host();

  /** One clause for people. */
  String text();

  /** Somebody has the host. */
  record HeldBy(String host, LockRecord lock) implements Blocker {
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
          + ")";
    }
  }

  private static String word(LockRecord lock) {
    return switch (lock.kind()) {
      case SESSION -> "session lock";
      case BATCH -> "batch lock";
      case QUARANTINE -> "quarantine";
      case FLEETLOCK -> HoldIds.byHand(lock.id()) ? "maintenance" : "FleetLock hold";
    };
  }

  /** Somebody waits for the host and came first. */
  record Behind(String host, Ticket ticket) implements Blocker {
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
