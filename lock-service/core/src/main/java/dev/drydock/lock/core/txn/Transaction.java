package dev.drydock.lock.core.txn;

import java.util.ArrayList;
import java.util.List;

/**
 * Operations that take effect together if every compare holds, and not at all otherwise.
 *
 * @param name for messages and for tests that interfere
 * @param otherwise reads made when a compare does not hold
 */
public record Transaction(
    String name, List<Compare> compares, List<Op> operations, List<Op.Get> otherwise) {
  public Transaction {
    compares = List.copyOf(compares);
    operations = List.copyOf(operations);
    otherwise = List.copyOf(otherwise);
  }

  /** Starts putting one together. */
  public static Building named(String name) {
    return new Building(name);
  }

  /** A transaction being put together. Confined to one thread. */
  public static final class Building {
    private final String name;
    private final List<Compare> compares = new ArrayList<>();
    private final List<Op> operations = new ArrayList<>();
    private final List<Op.Get> otherwise = new ArrayList<>();

    private Building(String name) {
      this.name = name;
    }

    public Building ifAbsent(Key<?> key) {
      return ifCreatedAt(key, 0);
    }

    public Building ifPresent(Key<?> key) {
      compares.add(new Compare.Present(key));
      return this;
    }

    public Building ifCreatedAt(Key<?> key, long revision) {
      compares.add(new Compare.Created(key, revision));
      return this;
    }

    public Building ifModifiedAt(Key<?> key, long revision) {
      compares.add(new Compare.Modified(key, revision));
      return this;
    }

    public <V> Building put(Key<V> key, V value) {
      return putLeased(key, value, 0);
    }

    /** The key goes when the lease does. */
    public <V> Building putLeased(Key<V> key, V value, long lease) {
      operations.add(new Op.Put<>(key, value, lease));
      return this;
    }

    public Building delete(Key<?> key) {
      operations.add(new Op.Delete(key));
      return this;
    }

    public Building get(Key<?> key) {
      operations.add(new Op.Get(key));
      return this;
    }

    /** A part that fails alone when its own compares do not hold. */
    public Building nested(Transaction part) {
      operations.add(new Op.Nested(part));
      return this;
    }

    public Building otherwiseGet(Key<?> key) {
      otherwise.add(new Op.Get(key));
      return this;
    }

    public Transaction build() {
      return new Transaction(name, compares, operations, otherwise);
    }
  }
}
