package dev.drydock.lock.core.history;

import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.StoredValue;
import java.util.Optional;

/**
 * What one key was and became at one revision.
 *
 * @param before what was there; empty when the key is new, or when the store has forgotten it
 * @param after what is there now; empty when the key is gone
 * @param revision at which it changed
 */
public record KeyTransition<V>(
    Key<V> key, Optional<StoredValue<V>> before, Optional<StoredValue<V>> after, long revision) {

  /** Whether the key was not there before. */
  public boolean creates() {
    return after.filter(now -> now.created() == now.modified()).isPresent();
  }
}
