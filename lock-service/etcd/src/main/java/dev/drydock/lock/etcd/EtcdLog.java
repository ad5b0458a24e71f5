package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.Key;

/**
 * etcd's log of what changed under the root. It goes back to the last compaction, and nothing but
 * {@link #compact} makes it shorter. Safe for use by many threads.
 */
public final class EtcdLog {
  private final EtcdConnection etcd;

  EtcdLog(EtcdConnection etcd) {
    this.etcd = etcd;
  }

  /**
   * How often a store was restored; revisions of different epochs do not compare.
   *
   * @param began the revision at which it began: all that comes after it is of this epoch
   */
  public record Epoch(long number, long began) {}

  /** The epoch of now. */
  public Epoch epoch() {
    return etcd.repeat(() -> etcd.get(new Key.Epoch()))
        .map(found -> ValueCodec.stored(new Key.Epoch(), found))
        .map(stored -> new Epoch(stored.value(), stored.modified()))
        .orElse(new Epoch(0, 0));
  }

  /** The newest revision. */
  public long head() {
    return etcd.repeat(etcd::revision);
  }

  /** Everything after a revision, in order, for one reader, which closes it. */
  public ChangeFeed after(long revision) {
    return new ChangeFeed(etcd, revision + 1);
  }

  /** Forgets what changed before {@code revision}; again, or for one that is gone, is fine. */
  public void compact(long revision) {
    try {
      etcd.repeat(() -> etcd.compact(revision));
    } catch (EtcdRefusedException gone) {
      return; // Somebody else forgot as much already.
    }
  }
}
