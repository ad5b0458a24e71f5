package dev.drydock.lock.core;

import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/** The tickets that wait, in queue order, over all and by host. Not thread-safe. */
public final class Waiters {
  /** The order of the queue; whoever is equal in it is the same. */
  public static final Comparator<Ticket> IN_ORDER =
      Ticket.ORDER.thenComparing(Ticket::id).thenComparingInt(Ticket::index);

  private final SortedSet<Ticket> all = none();
  private final Map<String, SortedSet<Ticket>> byHost = new HashMap<>();
  private final Map<String, SortedSet<Ticket>> tiedByHost = new HashMap<>();

  /** An empty set in queue order. */
  public static SortedSet<Ticket> none() {
    return new TreeSet<>(IN_ORDER);
  }

  /**
   * Whether a ticket concerns more than the host it waits for, or does more than wait. Others can
   * only wait while somebody has their host, and concern nobody elsewhere.
   */
  public static boolean tied(Ticket ticket) {
    return ticket.hosts().size() > 1 || ticket.mode() != Ticket.Mode.WAIT;
  }

  /** Everybody, in queue order. */
  public SortedSet<Ticket> all() {
    return Collections.unmodifiableSortedSet(all);
  }

  /** Who waits for a host, in queue order. */
  public SortedSet<Ticket> on(String host) {
    return in(byHost, host);
  }

  /** Those who wait for a host and are {@link #tied}, in queue order. */
  public SortedSet<Ticket> tiedOn(String host) {
    return in(tiedByHost, host);
  }

  private static SortedSet<Ticket> in(Map<String, SortedSet<Ticket>> queues, String host) {
    SortedSet<Ticket> queue = queues.get(host);
    return queue == null ? Collections.emptySortedSet() : Collections.unmodifiableSortedSet(queue);
  }

  public void add(Ticket ticket) {
    all.add(ticket);
    for (String host : ticket.hosts()) {
      byHost.computeIfAbsent(host, empty -> none()).add(ticket);
      if (tied(ticket)) {
        tiedByHost.computeIfAbsent(host, empty -> none()).add(ticket);
      }
    }
  }

  public void remove(Ticket ticket) {
    all.remove(ticket);
    for (String host : ticket.hosts()) {
      remove(byHost, host, ticket);
      remove(tiedByHost, host, ticket);
    }
  }

  private static void remove(Map<String, SortedSet<Ticket>> queues, String host, Ticket ticket) {
    SortedSet<Ticket> queue = queues.get(host);
    if (queue != null && queue.remove(ticket) && queue.isEmpty()) {
      queues.remove(host);
    }
  }
}
