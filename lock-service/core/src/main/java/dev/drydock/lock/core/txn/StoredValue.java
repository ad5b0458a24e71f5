package dev.drydock.lock.core.txn;

/**
 * A key as it was read. A lock's record carries its token and a ticket its create revision already.
 *
 * @param created revision that created the key
 * @param modified revision of its last put
 */
public record StoredValue<V>(Key<V> key, V value, long created, long modified) {}
