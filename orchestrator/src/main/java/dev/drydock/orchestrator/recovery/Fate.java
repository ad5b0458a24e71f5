package dev.drydock.orchestrator.recovery;

import dev.drydock.lock.core.LockRecord.Kind;
import java.util.Optional;

/**
 * What is to be done about a host that a batch has according to rows, to etcd, or to both. Pure.
 *
 * <p>Properties: no host is let go; what neither rows nor a rollout tell of is left to people.
 */
enum Fate {
  /** Both stores have it: it is read. */
  READ,
  /** Only rows do: it is locked again, and read. */
  LOCK,
  /** Only etcd does: rows are made for it, and it is read. */
  ADOPT,
  /** People have it, or are to have it. */
  QUARANTINE;

  /**
   * Decides.
   *
   * @param worked whether rows say that the batch is under way there
   * @param lock the lock of the batch on the host in etcd
   * @param adoptable whether its rollout is known, and waits for the host
   */
  static Fate of(boolean worked, Optional<Kind> lock, boolean adoptable) {
    if (lock.isEmpty()) {
      return worked ? LOCK : QUARANTINE;
    }
    if (lock.get() == Kind.QUARANTINE) {
      return QUARANTINE;
    }
    if (worked) {
      return READ;
    }
    return adoptable ? ADOPT : QUARANTINE;
  }
}
