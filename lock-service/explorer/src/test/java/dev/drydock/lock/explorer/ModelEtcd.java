package dev.drydock.lock.explorer;

import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.Compare;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Op;
import dev.drydock.lock.core.txn.SessionLock;
import dev.drydock.lock.core.txn.StoreSnapshot;
import dev.drydock.lock.core.txn.StoredValue;
import dev.drydock.lock.core.txn.Transaction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What etcd does with transactions, over a map. Immutable, and remembers what was read of it, since
 * many states have the same one; not thread-safe for that.
 *
 * <p>As etcd 3.6 does: the compares of all levels are evaluated before anything is written, so the
 * parts of a group do not see each other; two puts of one key, or a put and a delete, anywhere in a
 * request refuse all of it; so does a put under a lease that is gone; all of a request happens at
 * one revision.
 */
final class ModelEtcd {
  private final long revision;
  private final Map<Key<?>, Cell> cells;
  private final long deadLeases;
  private @Nullable List<StoredValue<?>> everything;
  private @Nullable StoreSnapshot storeSnapshot;

  ModelEtcd(long revision, Map<Key<?>, Cell> cells, long deadLeases) {
    this.revision = revision;
    this.cells = cells;
    this.deadLeases = deadLeases;
  }

  long revision() {
    return revision;
  }

  Map<Key<?>, Cell> cells() {
    return cells;
  }

  /** Bit set of leases that expired; leases are numbered from 1 to 62. */
  long deadLeases() {
    return deadLeases;
  }

  /** A key that exists. */
  record Cell(Object value, long created, long modified, long lease) {}

  /**
   * What came of a request.
   *
   * @param refused etcd takes no such request, and nothing happened
   * @param carried names and operations of all levels that took effect
   */
  record Answer(boolean refused, boolean succeeded, List<Transaction> carried, ModelEtcd after) {}

  Answer commit(Transaction transaction) {
    List<Transaction> carried = new ArrayList<>();
    boolean succeeded = choose(transaction, carried);
    requireNoOverlap(transaction);
    Map<Key<?>, Cell> written = new HashMap<>(cells);
    boolean[] wrote = new boolean[1];
    for (Transaction part : carried) {
      for (Op op : part.operations()) {
        if (op instanceof Op.Put<?> put) {
          if (dead(put.lease())) {
            return new Answer(true, false, List.of(), this);
          }
          Cell before = cells.get(put.key());
          long created = before == null ? revision + 1 : before.created();
          written.put(put.key(), new Cell(plain(put.value()), created, revision + 1, put.lease()));
          wrote[0] = true;
        } else if (op instanceof Op.Delete delete) {
          wrote[0] |= written.remove(delete.key()) != null;
        }
      }
    }
    ModelEtcd after = wrote[0] ? new ModelEtcd(revision + 1, written, deadLeases) : this;
    return new Answer(false, succeeded, carried, after);
  }

  private boolean choose(Transaction transaction, List<Transaction> carried) {
    if (!transaction.compares().stream().allMatch(this::holds)) {
      return false;
    }
    carried.add(transaction);
    for (Op op : transaction.operations()) {
      if (op instanceof Op.Nested(Transaction part)) {
        choose(part, carried);
      }
    }
    return true;
  }

  boolean holds(Compare compare) {
    Cell cell = cells.get(compare.key());
    return switch (compare) {
      case Compare.Created(Key<?> key, long at) -> (cell == null ? 0 : cell.created()) == at;
      case Compare.Modified(Key<?> key, long at) -> modified(key) == at;
      case Compare.Present present -> cell != null;
    };
  }

  /** Its modification revision; 0 when it does not exist. */
  long modified(Key<?> key) {
    Cell cell = cells.get(key);
    return cell == null ? 0 : cell.modified();
  }

  private static void requireNoOverlap(Transaction transaction) {
    Set<Key<?>> puts = new HashSet<>();
    Set<Key<?>> deletes = new HashSet<>();
    collect(transaction, puts, deletes);
    for (Key<?> key : puts) {
      if (deletes.contains(key)) {
        throw new Violation("ETCD: a request puts and deletes " + key);
      }
    }
  }

  private static void collect(Transaction transaction, Set<Key<?>> puts, Set<Key<?>> deletes) {
    for (Op op : transaction.operations()) {
      switch (op) {
        case Op.Put<?> put -> {
          if (!puts.add(put.key())) {
            throw new Violation("ETCD: a request puts " + put.key() + " twice");
          }
        }
        case Op.Delete delete -> deletes.add(delete.key());
        case Op.Get get -> {}
        case Op.Nested nested -> collect(nested.transaction(), puts, deletes);
      }
    }
  }

  private boolean dead(long lease) {
    return lease != 0 && (deadLeases & (1L << lease)) != 0;
  }

  /** A lease runs out, and all its keys with it. */
  ModelEtcd expire(long lease) {
    Map<Key<?>, Cell> left = new HashMap<>(cells);
    boolean gone = left.values().removeIf(cell -> cell.lease() == lease);
    return new ModelEtcd(gone ? revision + 1 : revision, left, deadLeases | (1L << lease));
  }

  /** A new lease of a number that was used before. */
  ModelEtcd revive(long lease) {
    return new ModelEtcd(revision, cells, deadLeases & ~(1L << lease));
  }

  /** Whether a lease still counts. */
  boolean lives(long lease) {
    return !dead(lease);
  }

  /** All that keys live by, by bit; 0 stands for none. */
  long leases() {
    long leases = 0;
    for (Cell cell : cells.values()) {
      leases |= 1L << cell.lease();
    }
    return leases;
  }

  boolean has(Key<?> key) {
    return cells.containsKey(key);
  }

  long created(Key<?> key) {
    Cell cell = cells.get(key);
    return cell == null ? 0 : cell.created();
  }

  /** Everything, as a reader gets it. */
  List<StoredValue<?>> everything() {
    if (everything == null) {
      List<StoredValue<?>> all = new ArrayList<>();
      cells.forEach((key, cell) -> all.add(stored(key, cell)));
      everything = List.copyOf(all);
    }
    return everything;
  }

  /** The same as a grantor sees it. */
  StoreSnapshot snapshot() {
    if (storeSnapshot == null) {
      storeSnapshot = StoreSnapshot.of(revision, everything());
    }
    return storeSnapshot;
  }

  <V> StoredValue<V> read(Key<V> key) {
    return stored(key, Objects.requireNonNull(cells.get(key), key.toString()));
  }

  @SuppressWarnings("unchecked") // The key says what its value is.
  private static <V> StoredValue<V> stored(Key<V> key, Cell cell) {
    Object value =
        switch (cell.value()) {
          case LockRecord lock -> lock.withToken(cell.created());
          case SessionLock session -> withToken(session, cell.created());
          case Ticket ticket -> ticket.at(cell.created());
          default -> cell.value();
        };
    return new StoredValue<>(key, (V) value, cell.created(), cell.modified());
  }

  private static SessionLock withToken(SessionLock session, long token) {
    return session instanceof SessionLock.Held(List<LockRecord> locks)
        ? new SessionLock.Held(locks.stream().map(lock -> lock.withToken(token)).toList())
        : session;
  }

  /** Without what the key's revision says. */
  private static Object plain(Object value) {
    return switch (value) {
      case LockRecord lock -> lock.withToken(0);
      case SessionLock session -> withToken(session, 0);
      case Ticket ticket -> ticket.at(0);
      default -> value;
    };
  }
}
