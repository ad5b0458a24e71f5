package dev.drydock.lock.core;

import java.time.Instant;
import java.util.Optional;

/** What is locked, for those who only show it. Implementations are safe for use by many threads. */
@FunctionalInterface
public interface Locks {
  /** Everything locked and waiting, as of now. */
  LockTable table();

  /**
   * About until when a lock that {@link LockTable#expired expired} goes on excluding; empty where
   * nobody here saw that.
   */
  default Optional<Instant> excludesUntil(LockRecord lock) {
    return Optional.empty();
  }
}
