package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.Change;
import dev.drydock.lock.core.txn.Key;
import io.etcd.jetcd.KeyValue;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the keys under the root as they count. What cannot be read is replaced by its {@link
 * StandIns stand-in} and told once, with what to do; it never keeps the others from being read.
 * Thread-safe.
 */
final class WhatCounts {
  private static final Logger log = LoggerFactory.getLogger(WhatCounts.class);

  private final Keys keys;
  private final Map<Key<?>, Long> unreadable = new ConcurrentHashMap<>();

  WhatCounts(Keys keys) {
    this.keys = keys;
  }

  /** The key as it is now; empty when it is not ours. */
  Optional<Change> put(KeyValue found) {
    return keys.read(found.getKey()).map(key -> put(key, found));
  }

  private <V> Change put(Key<V> key, KeyValue found) {
    try {
      Change change = Change.put(Values.stored(key, found));
      readableAgain(key);
      return change;
    } catch (UnreadableValueException why) {
      Long told = unreadable.put(key, found.getModRevision());
      if (told == null || told != found.getModRevision()) {
        log.error("kept out until it is mended: {}", why.getMessage());
      }
      return Values.believed(key, found).map(Change::put).orElseGet(() -> Change.deleted(key));
    }
  }

  /** The key is gone; empty when it is not ours. */
  Optional<Change> deleted(KeyValue found) {
    Optional<Key<?>> key = keys.read(found.getKey());
    key.ifPresent(this::readableAgain);
    return key.map(Change::deleted);
  }

  private void readableAgain(Key<?> key) {
    if (unreadable.remove(key) != null) {
      log.info("{} was mended", key);
    }
  }
}
