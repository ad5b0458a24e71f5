package dev.drydock.lock.core.txn;

import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.Ended;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Passed;
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
public record Snapshot(
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
  public record Uncounted(LockRecord lock, Stored<Alive> alive) {}

  /** The snapshot of everything stored at {@code revision}, in any order. */
  public static Snapshot of(long revision, Collection<Stored<?>> everything) {
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
    private final Ends ends = new Ends();
    private final Map<String, Stored<Alive>> alive = new HashMap<>();
    private final Set<String> terms = new HashSet<>();
    private final Map<Key<?>, Long> modified = new HashMap<>();
    private final Map<String, Passed> passed = new HashMap<>();
    private Optional<Brake> brake = Optional.empty();
    private Optional<SessionLock.Unreadable> unreadable = Optional.empty();
    private long generation;
    private long leader;

    void add(Stored<?> stored) {
      modified.put(stored.key(), stored.modified());
      switch (stored.key()) {
        case Key.Generation key -> generation = stored.modified();
        case Key.Leader key -> leader = stored.created();
        case Key.Brake key -> brake = Optional.of((Brake) stored.value());
        case Key.Lock key -> locks.put(key.host(), (LockRecord) stored.value());
        case Key.Ticket key -> tickets.add((Ticket) stored.value());
        case Key.Session key -> session(key, (SessionLock) stored.value(), stored.modified());
        case Key.Ended key -> ends.put(key, List.of((Ended) stored.value()), stored.modified());
        case Key.Alive key ->
            alive.put(
                key.id(),
                new Stored<>(key, (Alive) stored.value(), stored.created(), stored.modified()));
        case Key.Term key -> terms.add(key.id());
        case Key.Passed key -> passed.put(key.id(), (Passed) stored.value());
        case Key.Beat key -> {}
        case Key.Epoch key -> {}
        case Key.Grant key -> {}
        case Key.Verdict key -> {}
      }
    }

    private void session(Key.Session key, SessionLock session, long modified) {
      session.held().forEach(lock -> ofSessions.put(lock.host(), lock));
      ends.put(key, session.left(), modified);
      if (session instanceof SessionLock.Unreadable unreadable) {
        this.unreadable = Optional.of(unreadable);
      }
    }

    Snapshot at(long revision) {
      tickets.sort(Ticket.ORDER);
      Map<String, LockRecord> sessions = new HashMap<>();
      ofSessions.values().forEach(lock -> sessions.put(lock.id(), lock));
      // What may be left of a session that lapsed stands behind the hold that came after it.
      ofSessions.forEach(locks::putIfAbsent);
      Set<String> living = new HashSet<>(alive.keySet());
      List<Uncounted> uncounted = new ArrayList<>();
      sessions.forEach(
          (id, lock) -> {
            Stored<Alive> client = alive.get(id);
            if (client == null) {
              return;
            }
            if (client.value().waiting()) {
              uncounted.add(new Uncounted(lock, client));
            } else if (lock.maxSeconds() > 0 && !terms.contains(id)) {
              living.remove(id);
            }
          });
      return new Snapshot(
          new LockTable(
              revision,
              locks,
              tickets,
              ends.last(),
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
