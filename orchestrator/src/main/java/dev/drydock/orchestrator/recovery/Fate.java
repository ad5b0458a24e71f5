package dev.drydock.orchestrator.recovery;

import dev.drydock.lock.core.LockRecord.Kind;
import java.util.Optional;

/**
 * What is to be done about a host that a batch has according to rows, those made for holds that
 * only etcd had included. Pure.
 *
 * <p>Property: no host is let go.
 */
enum Fate {
  /** Both stores have it: it is read. */
  READ,
  /** Only rows do: it is locked again, and read. */
  LOCK,
  /** People have it. */
  QUARANTINE;

  /**
   * Decides.
   *
   * @param lock in etcd, of the batch on the host or of people who have it
   */
  static Fate of(Optional<Kind> lock) {
    if (lock.isEmpty()) {
      return LOCK;
    }
    return lock.get() == Kind.QUARANTINE ? QUARANTINE : READ;
  }
}
