package dev.drydock.lock.core.txn;

import java.util.List;

/**
 * A session lock as it is about to be released.
 *
 * @param lock its record, which stands
 * @param outdated records of earlier ends of which nothing counts any more once this one has ended
 */
public record SessionRelease(StoredValue<SessionLock> lock, List<Key.Session> outdated) {
  public SessionRelease {
    outdated = List.copyOf(outdated);
  }

  /** Its id. */
  public String id() {
    return lock.value().held().getFirst().id();
  }

  /** The hosts it is still on. */
  public List<String> hosts() {
    return lock.value().held().stream().map(one -> one.host()).toList();
  }
}
