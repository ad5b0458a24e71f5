package dev.drydock.lock.core.txn;

import dev.drydock.lock.core.BackfillClock;
import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Ticket;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Everything as of one revision.
 *
 * @param generation modification revision of {@code control/generation}
 * @param leader create revision of the leadership key, 0 when nobody leads
 * @param modified modification revisions of what transactions compare; the only part that moves on,
 *     when the reader changes a key itself
 * @param alive the alive keys there are, those of locks whose term is over included
 * @param uncounted session locks that still live by the lease of the waiting ticket
 */
public record StoreSnapshot(
    LockTable table,
    long generation,
    long leader,
    Map<Key<?>, Long> modified,
    Set<String> alive,
    List<Uncounted> uncounted) {

  /**
   * A session lock whose own lease nobody counted yet.
   *
   * @param lock any record of it
   */
  public record Uncounted(LockRecord lock, StoredValue<LivenessRecord> alive) {}

  /** The snapshot of everything stored at {@code revision}, in any order. */
  public static StoreSnapshot of(long revision, Collection<StoredValue<?>> everything) {
    Reading reading = new Reading();
    everything.forEach(reading::add);
    return reading.at(revision);
  }

  /** The modification revision of a key, 0 when it does not exist. */
  public long modifiedAt(Key<?> key) {
    return modified.getOrDefault(key, 0L);
  }

  /** What was read so far. */
  private static final class Reading {
    private final Map<String, LockRecord> locks = new HashMap<>();
    private final Map<String, LockRecord> ofSessions = new HashMap<>();
    private final List<Ticket> tickets = new ArrayList<>();
    private final LockEnds lockEnds = new LockEnds();
    private final Map<String, StoredValue<LivenessRecord>> alive = new HashMap<>();
    private final Set<String> terms = new HashSet<>();
    private final Map<Key<?>, Long> modified = new HashMap<>();
    private final Map<String, BackfillClock> passed = new HashMap<>();
    private Optional<Brake> brake = Optional.empty();
    private Optional<SessionLock.Unreadable> unreadable = Optional.empty();
    private long generation;
    private long leader;

    void add(StoredValue<?> storedValue) {
      modified.put(storedValue.key(), storedValue.modified());
      switch (storedValue.key()) {
        case Key.Generation key -> generation = storedValue.modified();
        case Key.Leader key -> leader = storedValue.created();
        case Key.Brake key -> brake = Optional.of((Brake) storedValue.value());
        case Key.Lock key -> locks.put(key.host(), (LockRecord) storedValue.value());
        case Key.Ticket key -> tickets.add((Ticket) storedValue.value());
        case Key.Session key ->
            session(key, (SessionLock) storedValue.value(), storedValue.modified());
        case Key.Ended key ->
            lockEnds.put(key, List.of((EndedLock) storedValue.value()), storedValue.modified());
        case Key.Alive key ->
            alive.put(
                key.id(),
                new StoredValue<>(
                    key,
                    (LivenessRecord) storedValue.value(),
                    storedValue.created(),
                    storedValue.modified()));
        case Key.Term key -> terms.add(key.id());
        case Key.Passed key -> passed.put(key.id(), (BackfillClock) storedValue.value());
        case Key.Beat key -> {}
        case Key.Epoch key -> {}
        case Key.Grant key -> {}
        case Key.Verdict key -> {}
      }
    }

    private void session(Key.Session key, SessionLock session, long modified) {
      session.held().forEach(lock -> ofSessions.put(lock.host(), lock));
      lockEnds.put(key, session.left(), modified);
      if (session instanceof SessionLock.Unreadable unreadable) {
        this.unreadable = Optional.of(unreadable);
      }
    }

    StoreSnapshot at(long revision) {
      tickets.sort(Ticket.ORDER);
      Map<String, LockRecord> sessions = new HashMap<>();
      ofSessions.values().forEach(lock -> sessions.put(lock.id(), lock));
      // What may be left of a session that lapsed stands behind the hold that came after it.
      ofSessions.forEach(locks::putIfAbsent);
      Set<String> living = new HashSet<>(alive.keySet());
      List<Uncounted> uncounted = new ArrayList<>();
      sessions.forEach(
          (id, lock) -> {
            StoredValue<LivenessRecord> client = alive.get(id);
            if (client == null) {
              return;
            }
            if (client.value().waiting()) {
              uncounted.add(new Uncounted(lock, client));
            } else if (lock.maxSeconds() > 0 && !terms.contains(id)) {
              living.remove(id);
            }
          });
      return new StoreSnapshot(
          new LockTable(
              revision,
              locks,
              tickets,
              lockEnds.last(),
              living,
              brake.or(() -> unreadable.map(SessionLock.Unreadable::brake)),
              passed),
          generation,
          leader,
          modified,
          Set.copyOf(alive.keySet()),
          List.copyOf(uncounted));
    }
  }
}
