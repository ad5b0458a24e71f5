package dev.drydock.lock.core;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Who has and who awaits each host, while a pass goes through the tickets in order. Mutable and
 * confined to one pass.
 *
 * <p>Properties: a host has at most one excluding lock; a host is reserved by every ticket that
 * awaits it, for those that come later in the order.
 */
public final class HostQueue {
  private final Map<String, LockRecord> held;
  private final Set<String> expired = new HashSet<>();
  private final Set<String> lapsed = new HashSet<>();
  private final Map<String, Line> awaited = new HashMap<>();

  public HostQueue(LockTable table) {
    held = new HashMap<>(table.locks());
    table.locks().values().stream()
        .filter(table::expired)
        .forEach(lock -> (table.noted(lock) ? lapsed : expired).add(lock.host()));
  }

  /** Somebody who waits. */
  private record Waiter(Ticket ticket, Reservation reservation) {}

  /** Who waits for one host, in order. */
  private static final class Line {
    private final List<Waiter> waiters = new ArrayList<>();
    private Waiter strictest;

    Line(Waiter first) {
      strictest = first;
      waiters.add(first);
    }

    void add(Waiter waiter) {
      waiters.add(waiter);
      if (waiter.reservation().clear().isBefore(strictest.reservation().clear())) {
        strictest = waiter;
      }
    }

    /** Who is not passed by a request that is gone by then. */
    Optional<Waiter> against(Optional<Instant> gone) {
      if (gone.isEmpty()) {
        return Optional.of(waiters.getFirst());
      }
      return gone.get().isAfter(strictest.reservation().clear())
          ? Optional.of(strictest)
          : Optional.empty();
    }
  }

  /** Where a waiting ticket stands. */
  public record Place(int position, String explanation) {}

  /**
   * The place of {@code ticket} as anybody can work it out from the table: 1 means next. What an
   * admission says is not known here.
   *
   * @param bounds those of the grantor
   */
  public static Place place(LockTable table, Ticket ticket, Backfill bounds) {
    HostQueue hostQueue = new HostQueue(table);
    Map<String, Integer> before = new HashMap<>();
    for (Ticket other : table.tickets()) {
      if (Ticket.ORDER.compare(other, ticket) >= 0) {
        continue;
      }
      hostQueue.pass(other, before);
    }
    return hostQueue.place(table, ticket, before, bounds);
  }

  /** The place of everybody who waits, in one go. */
  public static Map<Ticket, Place> places(LockTable table, Backfill bounds) {
    HostQueue hostQueue = new HostQueue(table);
    Map<String, Integer> before = new HashMap<>();
    Map<Ticket, Place> places = new LinkedHashMap<>();
    List<Ticket> equals = new ArrayList<>();
    for (Ticket ticket : table.tickets()) {
      if (!equals.isEmpty() && Ticket.ORDER.compare(equals.getFirst(), ticket) < 0) {
        equals.forEach(other -> hostQueue.pass(other, before));
        equals.clear();
      }
      equals.add(ticket);
      places.put(ticket, hostQueue.place(table, ticket, before, bounds));
    }
    return places;
  }

  /**
   * A ticket that comes first; who is blocked keeps nobody. When it begins is told by the locks in
   * its way alone, so that a place rests on nothing but who is directly before it.
   */
  private void pass(Ticket ticket, Map<String, Integer> before) {
    List<Blocker> locked =
        blockers(ticket.hosts(), Optional.empty()).stream()
            .filter(Blocker.HeldBy.class::isInstance)
            .toList();
    if (!Blocker.quarantined(locked)) {
      await(ticket, Reservation.strict(Blocker.latest(locked)));
    }
    ticket.hosts().forEach(host -> before.merge(host, 1, Integer::sum));
  }

  private Place place(
      LockTable table, Ticket ticket, Map<String, Integer> before, Backfill bounds) {
    int position =
        1 + ticket.hosts().stream().mapToInt(host -> before.getOrDefault(host, 0)).max().orElse(0);
    return new Place(
        position, explanation(table, ticket, blockers(ticket.hosts(), Optional.empty()), bounds));
  }

  /** What stands in the way of a ticket; empty when nothing does. */
  static String explanation(
      LockTable table, Ticket ticket, List<Blocker> blockers, Backfill bounds) {
    if (blockers.isEmpty()) {
      return "";
    }
    String sentence = Blocker.sentence(blockers);
    if (Blocker.quarantined(blockers)) {
      return blocked(sentence);
    }
    return Blocker.expired(blockers)
        ? sentence
        : sentence + BackfillRules.told(table, ticket, Blocker.latest(blockers), bounds);
  }

  /** What a blocked ticket is told. */
  static String blocked(String reason) {
    return "blocked, others go before it meanwhile: " + reason;
  }

  /**
   * What stands between a request and its hosts. A lapsed lock does not, nor does who waits for
   * longer than this request lasts.
   *
   * @param gone when the request would be gone for certain; empty if it may not go before anybody
   */
  List<Blocker> blockers(Collection<String> hosts, Optional<Instant> gone) {
    List<Blocker> blockers = new ArrayList<>();
    for (String host : hosts) {
      LockRecord lock = held.get(host);
      Line line = awaited.get(host);
      if (lock != null && !lapsed.contains(host)) {
        blockers.add(new Blocker.HeldBy(host, lock, expired.contains(host)));
      } else if (line != null) {
        line.against(gone)
            .map(first -> new Blocker.Behind(host, first.ticket(), first.reservation().from()))
            .ifPresent(blockers::add);
      }
    }
    return blockers;
  }

  /** Nobody after {@code ticket} gets its hosts before it does, but as it is reserved. */
  void await(Ticket ticket, Reservation reservation) {
    Waiter waiter = new Waiter(ticket, reservation);
    for (String host : ticket.hosts()) {
      Line line = awaited.get(host);
      if (line == null) {
        awaited.put(host, new Line(waiter));
      } else {
        line.add(waiter);
      }
    }
  }

  /** Everybody who waits for one of the hosts. */
  Set<Ticket> awaiting(Collection<String> hosts) {
    Set<Ticket> tickets = new LinkedHashSet<>();
    for (String host : hosts) {
      Line line = awaited.get(host);
      if (line != null) {
        line.waiters.forEach(waiter -> tickets.add(waiter.ticket()));
      }
    }
    return tickets;
  }

  /** The lapsed lock on a host, which a grant of the host has to clear away first. */
  Optional<LockRecord> lapsedOn(String host) {
    return lapsed.contains(host) ? Optional.ofNullable(held.get(host)) : Optional.empty();
  }

  void remove(LockRecord lock) {
    held.remove(lock.host());
    lapsed.remove(lock.host());
  }

  void put(LockRecord lock) {
    held.put(lock.host(), lock);
  }

  Optional<LockRecord> on(String host) {
    return Optional.ofNullable(held.get(host));
  }

  /** Every lock, lapsed ones and those granted earlier in the pass included; goes on with it. */
  Collection<LockRecord> held() {
    return Collections.unmodifiableCollection(held.values());
  }

  /** Every lock, by whether it is lapsed or a quarantine, which nobody ends who works. */
  Map<Boolean, List<LockRecord>> byStaying() {
    return held.values().stream()
        .collect(
            Collectors.partitioningBy(
                lock -> lock.kind() == LockRecord.Kind.QUARANTINE || lapsed.contains(lock.host())));
  }
}
