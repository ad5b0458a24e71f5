package dev.drydock.lock.core.txn;

import dev.drydock.lock.core.Backfill;
import dev.drydock.lock.core.BackfillClock;
import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.HostQueue;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Waiters;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What a table is made of, taken from a {@link Replica} and independent of it from then on. Taking
 * it copies references and no more, since whoever brings the replica forward has to wait meanwhile;
 * {@link #table} does the rest, at any time.
 */
public final class TableCopy {
  private final long revision;
  private final Optional<Brake> brake;
  private final List<LockRecord> locks;
  private final List<Ticket> tickets;
  private final List<EndedLock> ended;
  private final List<String> alive;
  private final List<Map.Entry<String, BackfillClock>> passed;

  private TableCopy(
      LockTable views,
      List<LockRecord> locks,
      List<Ticket> tickets,
      List<EndedLock> ended,
      List<String> alive,
      List<Map.Entry<String, BackfillClock>> passed) {
    this.revision = views.revision();
    this.brake = views.brake();
    this.locks = locks;
    this.tickets = tickets;
    this.ended = ended;
    this.alive = alive;
    this.passed = passed;
  }

  /** Everything. */
  public static TableCopy of(Replica replica) {
    LockTable views = replica.snapshot(List.of()).table();
    List<Map.Entry<String, BackfillClock>> passed = new ArrayList<>();
    views.passed().forEach((id, clock) -> passed.add(Map.entry(id, clock)));
    return new TableCopy(
        views,
        new ArrayList<>(views.locks().values()),
        new ArrayList<>(replica.waiters().all()),
        new ArrayList<>(views.ended().values()),
        new ArrayList<>(views.alive()),
        passed);
  }

  /** Works out the place of a ticket as of now, at any time: among thousands that takes a while. */
  public static Supplier<HostQueue.Place> place(Replica replica, Ticket ticket, Backfill bounds) {
    TableCopy before = before(replica, ticket);
    return () -> HostQueue.place(before.table(), ticket, bounds);
  }

  /** Those who wait for a host of the ticket and may come first, and the locks on all of theirs. */
  private static TableCopy before(Replica replica, Ticket ticket) {
    LockTable views = replica.snapshot(List.of()).table();
    List<Ticket> tickets = new ArrayList<>();
    Set<String> hosts = new LinkedHashSet<>(ticket.hosts());
    Set<Ticket> met = Collections.newSetFromMap(new IdentityHashMap<>());
    for (String host : ticket.hosts()) {
      for (Ticket other : replica.waiters().on(host).headSet(ticket)) {
        boolean single = other.hosts().size() == 1;
        if (single || met.add(other)) {
          tickets.add(other);
        }
      }
    }
    met.forEach(other -> hosts.addAll(other.hosts()));
    List<LockRecord> locks = new ArrayList<>();
    List<String> alive = new ArrayList<>();
    List<EndedLock> ended = new ArrayList<>();
    for (String host : hosts) {
      LockRecord lock = views.locks().get(host);
      if (lock != null) {
        locks.add(lock);
        if (lock.kind() == Kind.SESSION && !replica.expired(lock)) {
          alive.add(lock.id());
        }
        EndedLock end = views.ended().get(host);
        if (end != null) {
          ended.add(end);
        }
      }
    }
    BackfillClock clock = views.passed().get(ticket.id());
    return new TableCopy(
        views,
        locks,
        tickets,
        ended,
        alive,
        clock == null ? List.of() : List.of(Map.entry(ticket.id(), clock)));
  }

  /** The table of it. */
  public LockTable table() {
    Map<String, LockRecord> locksByHost = new HashMap<>();
    locks.forEach(lock -> locksByHost.put(lock.host(), lock));
    Map<String, EndedLock> endedByHost = new HashMap<>();
    ended.forEach(end -> endedByHost.put(end.host(), end));
    Map<String, BackfillClock> clocks = new HashMap<>();
    passed.forEach(clock -> clocks.put(clock.getKey(), clock.getValue()));
    return new LockTable(
        revision,
        locksByHost,
        tickets.stream().sorted(Waiters.IN_ORDER).toList(),
        endedByHost,
        new HashSet<>(alive),
        brake,
        clocks);
  }
}
