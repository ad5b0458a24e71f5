package dev.drydock.impact.simulation;

import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Seniority;
import dev.drydock.lock.core.Ticket;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;

/** Who goes before whom (invariant I3), read from what etcd has. */
final class OwnOrder {
  private OwnOrder() {}

  /**
   * What is wrong with granting this.
   *
   * @param before what etcd had, as {@code knownState} is older
   * @param waits whether a ticket still waits
   * @param blocked whether a ticket waits for what nobody ends who works
   */
  static Optional<String> against(
      KnownState knownState,
      LockTable before,
      Verifier.Taker taker,
      Predicate<Ticket> waits,
      Predicate<Ticket> blocked) {
    return knownState.table().tickets().stream()
        .filter(ticket -> waits.test(ticket) && lives(ticket, before))
        .filter(ticket -> ticket.seniority().compareTo(age(taker, before)) < 0)
        .filter(ticket -> !taker.id().equals(ticket.id()) && shares(ticket, taker))
        .filter(ticket -> !blocked.test(ticket))
        .flatMap(ticket -> passes(knownState, taker, ticket).stream())
        .findFirst();
  }

  /** As etcd has it: its grantor may be wrong about it. */
  private static Seniority age(Verifier.Taker taker, LockTable before) {
    return before.tickets().stream()
        .filter(ticket -> ticket.id().equals(taker.id()))
        .map(Ticket::seniority)
        .findFirst()
        .orElse(taker.age());
  }

  private static boolean lives(Ticket ticket, LockTable table) {
    return !ticket.hasAliveKey() || table.alive().contains(ticket.id());
  }

  private static boolean shares(Ticket ticket, Verifier.Taker taker) {
    return ticket.hosts().stream().anyMatch(taker.hosts()::contains);
  }

  /** Somebody came first and waits on. */
  private static Optional<String> passes(
      KnownState knownState, Verifier.Taker taker, Ticket ticket) {
    String what = "%s got %s before %s".formatted(taker.id(), taker.hosts(), ticket.id());
    if (taker.lasts() == 0) {
      return Optional.of(what);
    }
    return begins(knownState, ticket)
        .filter(begins -> knownState.at().plusSeconds(taker.lasts()).isAfter(begins))
        .map(begins -> what + ", which could begin at " + begins);
  }

  /** When all it lacks ends for certain; empty when nothing says, or others wait before it. */
  private static Optional<Instant> begins(KnownState knownState, Ticket ticket) {
    Instant last = knownState.at();
    for (String host : ticket.hosts()) {
      LockRecord lock = knownState.table().locks().get(host);
      if (lock == null || knownState.table().lapsed(lock)) {
        continue;
      }
      if (lock.maxSeconds() == 0 || lock.grantedAt().isEmpty()) {
        return Optional.empty();
      }
      Instant ends = lock.grantedAt().get().plusSeconds(lock.maxSeconds());
      last = ends.isAfter(last) ? ends : last;
    }
    boolean lacksLocks = last.isAfter(knownState.at());
    boolean behind =
        knownState.table().tickets().stream()
            .anyMatch(
                other ->
                    other.seniority().compareTo(ticket.seniority()) < 0
                        && other.hosts().stream().anyMatch(ticket.hosts()::contains));
    return lacksLocks && !behind ? Optional.of(last) : Optional.empty();
  }
}
