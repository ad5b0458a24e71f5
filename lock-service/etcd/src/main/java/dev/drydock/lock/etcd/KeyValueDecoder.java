package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.KeyChange;
import io.etcd.jetcd.KeyValue;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the keys under the root as they count. What cannot be read is replaced by its {@link
 * FailSafeValues stand-in} and told once, with what to do; it never keeps the others from being
 * read. Thread-safe.
 */
final class KeyValueDecoder {
  private static final Logger log = LoggerFactory.getLogger(KeyValueDecoder.class);

  private final KeyLayout keyLayout;
  private final Map<Key<?>, Long> unreadable = new ConcurrentHashMap<>();

  KeyValueDecoder(KeyLayout keyLayout) {
    this.keyLayout = keyLayout;
  }

  /** The key as it is now; empty when it is not ours. */
  Optional<KeyChange> put(KeyValue found) {
    return keyLayout.read(found.getKey()).map(key -> put(key, found));
  }

  private <V> KeyChange put(Key<V> key, KeyValue found) {
    try {
      KeyChange keyChange = KeyChange.put(ValueCodec.stored(key, found));
      readableAgain(key);
      return keyChange;
    } catch (UnreadableValueException why) {
      Long told = unreadable.put(key, found.getModRevision());
      if (told == null || told != found.getModRevision()) {
        log.error("kept out until it is mended: {}", why.getMessage());
      }
      return ValueCodec.believed(key, found)
          .map(KeyChange::put)
          .orElseGet(() -> KeyChange.deleted(key));
    }
  }

  /** The key is gone; empty when it is not ours. */
  Optional<KeyChange> deleted(KeyValue found) {
    Optional<Key<?>> key = keyLayout.read(found.getKey());
    key.ifPresent(this::readableAgain);
    return key.map(KeyChange::deleted);
  }

  private void readableAgain(Key<?> key) {
    if (unreadable.remove(key) != null) {
      log.info("{} was mended", key);
    }
  }
}
