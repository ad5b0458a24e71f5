package dev.drydock.lock.core.txn;

import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A little etcd: what is stored under which key, and the changes of each revision. */
final class Store {
  final Map<Key<?>, StoredValue<?>> everything = new HashMap<>();
  long revision = 1;

  private final List<KeyChange> changes = new ArrayList<>();
  private final Consumer<List<KeyChange>> told;

  /** Tells {@code told} of the changes of every revision. */
  Store(Consumer<List<KeyChange>> told) {
    this.told = told;
  }

  /** Everything within is one revision. */
  void revision(Runnable within) {
    revision++;
    within.run();
    told.accept(List.copyOf(changes));
    changes.clear();
  }

  <V> void put(Key<V> key, V value) {
    StoredValue<?> before = everything.get(key);
    StoredValue<V> now =
        new StoredValue<>(key, value, before == null ? revision : before.created(), revision);
    everything.put(key, now);
    changes.add(KeyChange.put(now));
  }

  /** As a grant does. */
  void lock(List<LockRecord> granted) {
    List<LockRecord> locks = granted.stream().map(lock -> lock.withToken(revision)).toList();
    if (locks.getFirst().kind() == Kind.SESSION) {
      put(new Key.Session(locks.getFirst().id()), new SessionLock.Held(locks));
    } else {
      locks.forEach(lock -> put(new Key.Lock(lock.host()), lock));
    }
  }

  void delete(Key<?> key) {
    if (everything.remove(key) != null) {
      changes.add(KeyChange.deleted(key));
    }
  }

  Collection<StoredValue<?>> all() {
    return everything.values();
  }
}
