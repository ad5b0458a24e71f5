package dev.drydock.lock.core.txn;

import org.jspecify.annotations.Nullable;

/**
 * What one revision did to one key.
 *
 * @param now the key as it was put; null when it was deleted
 */
public record Change(Key<?> key, @Nullable Stored<?> now) {

  /** A key was put. */
  public static Change put(Stored<?> now) {
    return new Change(now.key(), now);
  }

  /** A key is gone. */
  public static Change deleted(Key<?> key) {
    return new Change(key, null);
  }
}
