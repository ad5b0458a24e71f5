package dev.drydock.orchestrator.core.restore;

import dev.drydock.lock.core.LockRecord.Kind;
import java.util.Optional;

/**
 * What recovery does about a host that rows give to a batch. Rows that recovery made itself, for
 * holds that only etcd had, count as well.
 *
 * <p>Property: recovery releases no host.
 */
public enum RestoredHoldDecision {
  /** Rows and etcd agree: the batch reads the host. */
  READ,
  /** Only rows have it: recovery locks the host again, and the batch reads it. */
  LOCK,
  /** The host is quarantined, and stays so. */
  QUARANTINE;

  /**
   * Decides.
   *
   * @param lock the lock that etcd has on the host: of the batch, or of a quarantine
   */
  public static RestoredHoldDecision of(Optional<Kind> lock) {
    if (lock.isEmpty()) {
      return LOCK;
    }
    return lock.get() == Kind.QUARANTINE ? QUARANTINE : READ;
  }
}
