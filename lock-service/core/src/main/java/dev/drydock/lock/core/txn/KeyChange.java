package dev.drydock.lock.core.txn;

import org.jspecify.annotations.Nullable;

/**
 * What one revision did to one key.
 *
 * @param now the key as it was put; null when it was deleted
 */
public record KeyChange(Key<?> key, @Nullable StoredValue<?> now) {

  /** A key was put. */
  public static KeyChange put(StoredValue<?> now) {
    return new KeyChange(now.key(), now);
  }

  /** A key is gone. */
  public static KeyChange deleted(Key<?> key) {
    return new KeyChange(key, null);
  }
}
