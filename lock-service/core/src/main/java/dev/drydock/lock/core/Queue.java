package dev.drydock.lock.core;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Who has and who awaits each host, while a pass goes through the tickets in order. Mutable and
 * confined to one pass.
 *
 * <p>Properties: a host has at most one excluding lock; a host is reserved by the first ticket in
 * the order that awaits it.
 */
public final class Queue {
  private final Map<String, LockRecord> held;
  private final Set<String> lapsed = new HashSet<>();
  private final Map<String, Ticket> awaited = new HashMap<>();

  public Queue(LockTable table) {
    held = new HashMap<>(table.locks());
    table.locks().values().stream()
        .filter(table::lapsed)
        .map(LockRecord::host)
        .forEach(lapsed::add);
  }

  /** Where a waiting ticket stands. */
  public record Place(int position, String explanation) {}

  /**
   * The place of {@code ticket} as anybody can work it out from the table: 1 means next. What an
   * admission says is not known here.
   */
  public static Place place(LockTable table, Ticket ticket) {
    Queue queue = new Queue(table);
    Map<String, Integer> before = new HashMap<>();
    for (Ticket other : table.tickets()) {
      if (Ticket.ORDER.compare(other, ticket) >= 0) {
        continue;
      }
      queue.await(other);
      other.hosts().forEach(host -> before.merge(host, 1, Integer::sum));
    }
    return queue.place(ticket, before);
  }

  /** The place of everybody who waits, in one go. */
  public static Map<Ticket, Place> places(LockTable table) {
    Queue queue = new Queue(table);
    Map<String, Integer> before = new HashMap<>();
    Map<Ticket, Place> places = new LinkedHashMap<>();
    List<Ticket> equals = new ArrayList<>();
    for (Ticket ticket : table.tickets()) {
      if (!equals.isEmpty() && Ticket.ORDER.compare(equals.getFirst(), ticket) < 0) {
        equals.forEach(queue::await);
        equals.forEach(other -> other.hosts().forEach(host -> before.merge(host, 1, Integer::sum)));
        equals.clear();
      }
      equals.add(ticket);
      places.put(ticket, queue.place(ticket, before));
    }
    return places;
  }

  private Place place(Ticket ticket, Map<String, Integer> before) {
    int position =
        1 + ticket.hosts().stream().mapToInt(host -> before.getOrDefault(host, 0)).max().orElse(0);
    return new Place(position, Blocker.sentence(blockers(ticket.hosts())));
  }

  /** What stands between a request and its hosts. A lapsed lock does not. */
  public List<Blocker> blockers(Collection<String> hosts) {
    List<Blocker> blockers = new ArrayList<>();
    for (String host : hosts) {
      LockRecord lock = held.get(host);
      Ticket first = awaited.get(host);
      if (lock != null && !lapsed.contains(host)) {
        blockers.add(new Blocker.HeldBy(host, lock));
      } else if (first != null) {
        blockers.add(new Blocker.Behind(host, first));
      }
    }
    return blockers;
  }

  /** Nobody after {@code ticket} gets its hosts before it does. */
  void await(Ticket ticket) {
    ticket.hosts().forEach(host -> awaited.putIfAbsent(host, ticket));
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

  /** Every lock, lapsed ones and those granted earlier in the pass included. */
  Collection<LockRecord> held() {
    return List.copyOf(held.values());
  }
}
