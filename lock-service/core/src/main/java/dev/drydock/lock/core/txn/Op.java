package dev.drydock.lock.core.txn;

/** One operation of a transaction. */
public sealed interface Op {

  /**
   * Writes a value.
   *
   * @param lease the key goes with this lease; 0 for none
   */
  record Put<V>(Key<V> key, V value, long lease) implements Op {}

  /** Removes a key; nothing happens when it does not exist. */
  record Delete(Key<?> key) implements Op {}

  /** Reads a key. */
  record Get(Key<?> key) implements Op {}

  /** A transaction with compares of its own: it may fail alone. */
  record Nested(Transaction transaction) implements Op {}
}
