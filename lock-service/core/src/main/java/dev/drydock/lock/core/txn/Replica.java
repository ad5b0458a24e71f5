package dev.drydock.lock.core.txn;

import dev.drydock.lock.core.BackfillClock;
import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Waiters;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A copy of everything decisions rest on, brought forward change by change. What it hands out are
 * views that move on with it. Not thread-safe.
 *
 * <p>Property: after all changes up to a revision it says what {@link StoreSnapshot#of} says of
 * everything stored at that revision.
 */
public final class Replica {
  private final Map<String, LockRecord> locks = new HashMap<>();
  private final Map<String, LockRecord> holds = new HashMap<>();
  private final Map<String, LockRecord> ofSessions = new HashMap<>();
  private final Map<String, StoredValue<SessionLock>> sessions = new HashMap<>();
  private final Map<String, SessionLock.Unreadable> unreadable = new HashMap<>();
  private final Map<String, Set<String>> hostsOfHolds = new HashMap<>();
  private final Map<Key.Ticket, Ticket> tickets = new HashMap<>();
  private final Map<String, Ticket> ticketsById = new HashMap<>();
  private final Waiters waiters = new Waiters();
  private final Map<String, EndedLock> endedOnHosts = new HashMap<>();
  private final LockEnds lockEnds = new LockEnds();
  private final Map<String, StoredValue<LivenessRecord>> alive = new HashMap<>();
  private final Set<String> terms = new HashSet<>();
  private final Set<String> living = new HashSet<>();
  private final Map<String, StoreSnapshot.Uncounted> uncounted = new HashMap<>();
  private final Map<String, BackfillClock> passed = new HashMap<>();
  private final Map<Key<?>, Long> modified = new HashMap<>();
  private Optional<Brake> brake = Optional.empty();
  private long generation;
  private long leader;
  private long revision;

  /** The copy of everything stored at {@code revision}. */
  public static Replica of(long revision, Collection<StoredValue<?>> everything) {
    Replica replica = new Replica();
    replica.apply(revision, everything.stream().map(KeyChange::put).toList());
    return replica;
  }

  /** Whether decisions rest on what such a key says; the others are left out. */
  public static boolean keeps(Key<?> key) {
    return switch (key) {
      case Key.Beat one -> false;
      case Key.Epoch one -> false;
      case Key.Grant one -> false;
      case Key.Verdict one -> false;
      default -> true;
    };
  }

  /** All changes of the revisions after the last ones, up to {@code revision}. */
  public void apply(long revision, Collection<KeyChange> changes) {
    this.revision = Math.max(this.revision, revision);
    changes.forEach(this::apply);
  }

  private void apply(KeyChange keyChange) {
    StoredValue<?> now = keyChange.now();
    switch (keyChange.key()) {
      case Key.Generation key -> generation = now == null ? 0 : now.modified();
      case Key.Leader key -> leader = now == null ? 0 : now.created();
      case Key.Brake key ->
          brake = now == null ? Optional.empty() : Optional.of((Brake) now.value());
      case Key.Lock key -> lock(key, now == null ? null : (LockRecord) now.value());
      case Key.Ticket key -> ticket(key, now == null ? null : (Ticket) now.value());
      case Key.Session key -> session(key, now);
      case Key.Ended key -> ended(key, now);
      case Key.Alive key -> {
        set(alive, key.id(), now == null ? null : alive(key, now));
        lives(key.id());
      }
      case Key.Term key -> {
        if (now == null) {
          terms.remove(key.id());
        } else {
          terms.add(key.id());
        }
        lives(key.id());
      }
      case Key.Passed key ->
          set(passed, key.id(), now == null ? null : (BackfillClock) now.value());
      case Key.Beat key -> {
        return;
      }
      case Key.Epoch key -> {
        return;
      }
      case Key.Grant key -> {
        return;
      }
      case Key.Verdict key -> {
        return;
      }
    }
    set(modified, keyChange.key(), now == null ? null : now.modified());
  }

  private static <K, V> void set(Map<K, V> map, K key, @Nullable V value) {
    if (value == null) {
      map.remove(key);
    } else {
      map.put(key, value);
    }
  }

  private static StoredValue<LivenessRecord> alive(Key.Alive key, StoredValue<?> now) {
    return new StoredValue<>(key, (LivenessRecord) now.value(), now.created(), now.modified());
  }

  private void lock(Key.Lock key, @Nullable LockRecord now) {
    LockRecord before = now == null ? holds.remove(key.host()) : holds.put(key.host(), now);
    if (before != null) {
      Set<String> hosts = hostsOfHolds.getOrDefault(before.id(), new HashSet<>());
      hosts.remove(key.host());
      if (hosts.isEmpty()) {
        hostsOfHolds.remove(before.id());
      }
      lives(before.id());
    }
    if (now != null) {
      hostsOfHolds.computeIfAbsent(now.id(), id -> new TreeSet<>()).add(key.host());
      lives(now.id());
    }
    settle(key.host());
  }

  /** What may be left of a session that lapsed stands behind the hold that came after it. */
  private void settle(String host) {
    LockRecord hold = holds.get(host);
    set(locks, host, hold == null ? ofSessions.get(host) : hold);
  }

  private void session(Key.Session key, @Nullable StoredValue<?> changed) {
    StoredValue<SessionLock> now =
        changed == null ? null : session(key, changed, (SessionLock) changed.value());
    StoredValue<SessionLock> before =
        now == null ? sessions.remove(key.id()) : sessions.put(key.id(), now);
    if (before != null) {
      // Another session may have got the host at the same revision, and stays.
      before.value().held().forEach(lock -> ofSessions.remove(lock.host(), lock));
      lockEnds.remove(key, before.value().left());
      if (before.value() instanceof SessionLock.Unreadable) {
        unreadable.remove(key.id());
      }
    }
    if (now != null) {
      now.value().held().forEach(lock -> ofSessions.put(lock.host(), lock));
      lockEnds.put(key, now.value().left(), now.modified());
      if (now.value() instanceof SessionLock.Unreadable nobodyKnows) {
        unreadable.put(key.id(), nobodyKnows);
      }
    }
    Stream.of(before, now)
        .filter(Objects::nonNull)
        .flatMap(session -> session.value().held().stream())
        .forEach(lock -> settle(lock.host()));
    lives(key.id());
  }

  private static StoredValue<SessionLock> session(
      Key.Session key, StoredValue<?> now, SessionLock value) {
    return new StoredValue<>(key, value, now.created(), now.modified());
  }

  private void ended(Key.Ended key, @Nullable StoredValue<?> now) {
    EndedLock before = endedOnHosts.remove(key.host());
    if (before != null) {
      lockEnds.remove(key, List.of(before));
    }
    if (now != null) {
      EndedLock endedLock = (EndedLock) now.value();
      endedOnHosts.put(key.host(), endedLock);
      lockEnds.put(key, List.of(endedLock), now.modified());
    }
  }

  private void ticket(Key.Ticket key, @Nullable Ticket now) {
    Ticket before = now == null ? tickets.remove(key) : tickets.put(key, now);
    if (before != null) {
      waiters.remove(before);
      ticketsById.remove(key.id(), before);
    }
    if (now != null) {
      waiters.add(now);
      ticketsById.put(key.id(), now);
    }
  }

  /** Works out anew whether the client of a lock or ticket is alive. */
  private void lives(String id) {
    StoredValue<LivenessRecord> client = alive.get(id);
    Optional<LockRecord> session = session(id);
    boolean counted = client != null && !client.value().waiting();
    boolean over =
        counted && session.filter(lock -> lock.maxSeconds() > 0).isPresent() && !terms.contains(id);
    if (client != null && !over) {
      living.add(id);
    } else {
      living.remove(id);
    }
    if (client != null && !counted && session.isPresent()) {
      uncounted.put(id, new StoreSnapshot.Uncounted(session.get(), client));
    } else {
      uncounted.remove(id);
    }
  }

  /** Any of its session locks. */
  private Optional<LockRecord> session(String id) {
    return heldBy(id).stream().findFirst();
  }

  /** The revision this is a copy of. */
  public long revision() {
    return revision;
  }

  /** Who waits, in order. */
  public Waiters waiters() {
    return waiters;
  }

  /** The locks of a session lock or hold, by host; empty when it has none. */
  public List<LockRecord> locksOf(String id) {
    List<LockRecord> held = heldBy(id);
    Set<String> hosts = hostsOfHolds.getOrDefault(id, Set.of());
    return Stream.concat(held.stream(), hosts.stream().map(holds::get).filter(Objects::nonNull))
        .sorted(Comparator.comparing(LockRecord::host))
        .toList();
  }

  /** The locks of a session lock, one for each host it is still on; empty when it has none. */
  public List<LockRecord> heldBy(String id) {
    StoredValue<SessionLock> session = sessions.get(id);
    return session == null ? List.of() : session.value().held();
  }

  /** A session lock as it can be released, while it stands. */
  public Optional<SessionRelease> release(String id) {
    StoredValue<SessionLock> session = sessions.get(id);
    return session != null && session.value() instanceof SessionLock.Held(List<LockRecord> locks)
        ? Optional.of(new SessionRelease(session, lockEnds.outdatedBy(hosts(locks))))
        : Optional.empty();
  }

  /** What a session lock that was released left behind on its hosts; empty once that is gone. */
  public List<EndedLock> leftBy(String id) {
    StoredValue<SessionLock> session = sessions.get(id);
    return session == null ? List.of() : session.value().left();
  }

  private static List<String> hosts(List<LockRecord> locks) {
    return locks.stream().map(LockRecord::host).toList();
  }

  /** What the last lock on a host left behind. */
  public Optional<EndedLock> endedOn(String host) {
    return Optional.ofNullable(lockEnds.last().get(host));
  }

  /** The ticket of that id, while it waits. */
  public Optional<Ticket> ticket(String id) {
    return Optional.ofNullable(ticketsById.get(id));
  }

  /** The excluding or lapsed lock on a host. */
  public Optional<LockRecord> lockOn(String host) {
    return Optional.ofNullable(locks.get(host));
  }

  /** Whether somebody has the host; a lapsed lock does not exclude. */
  public boolean excluded(String host) {
    LockRecord lock = locks.get(host);
    return lock != null && !lapsed(lock);
  }

  /** Whether somebody has or came first for a host of the ticket, as anybody can see. */
  public boolean inLine(Ticket ticket) {
    return ticket.hosts().stream().anyMatch(host -> excluded(host) || !first(ticket, host));
  }

  private boolean first(Ticket ticket, String host) {
    for (Ticket other : waiters.on(host)) {
      if (other.equals(ticket)) {
        return true;
      }
      if (!quarantined(other)) {
        return false;
      }
    }
    return true;
  }

  private boolean quarantined(Ticket ticket) {
    return ticket.hosts().stream()
        .map(locks::get)
        .anyMatch(lock -> lock != null && lock.kind() == Kind.QUARANTINE);
  }

  /** A key that was just put at {@code revision}, before that is told of. */
  public void moved(Key<?> key, long revision) {
    modified.put(key, revision);
  }

  /** Set while nothing may be granted. */
  public Optional<Brake> brake() {
    return brake.or(
        () -> unreadable.values().stream().findAny().map(SessionLock.Unreadable::brake));
  }

  /** Whether there is a ticket or lock of that id, which its client's leases are about. */
  public boolean livedBy(String id) {
    return ticketsById.containsKey(id) || hostsOfHolds.containsKey(id) || !heldBy(id).isEmpty();
  }

  /** What {@link LockTable#expired} says. */
  public boolean expired(LockRecord lock) {
    return lock.kind() == Kind.SESSION && !living.contains(lock.id());
  }

  /** What {@link LockTable#lapsed} says. */
  public boolean lapsed(LockRecord lock) {
    return expired(lock) && noted(lock);
  }

  /** What {@link LockTable#noted} says. */
  public boolean noted(LockRecord lock) {
    EndedLock noted = lockEnds.last().get(lock.host());
    return noted != null && noted.isOf(lock);
  }

  /** Session locks that expired, and holds with a maximum: those of which no lapse is noted. */
  public List<LockRecord> lapsing() {
    return locks.values().stream()
        .filter(lock -> (expired(lock) || lock.verifiedAfterMaximum()) && !noted(lock))
        .toList();
  }

  /** Create revision of the leadership key, 0 when nobody leads. */
  public long leader() {
    return leader;
  }

  /** Everything, as views, but with these tickets only. */
  public StoreSnapshot snapshot(Collection<Ticket> tickets) {
    return new StoreSnapshot(
        new LockTable(
            revision, locks, List.copyOf(tickets), lockEnds.last(), living, brake(), passed),
        generation,
        leader,
        modified,
        Collections.unmodifiableSet(alive.keySet()),
        List.copyOf(uncounted.values()));
  }

  /** Everything, as views. */
  public StoreSnapshot snapshot() {
    return snapshot(waiters.all());
  }
}
