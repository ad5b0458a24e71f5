package dev.drydock.orchestrator.packages;

import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.LockTable;
import java.time.Instant;
import java.util.Optional;

/**
 * A host as it stands, and what is known of its packages: one moment of PostgreSQL, to be seen
 * together with the locks of a moment before it.
 *
 * @param epoch counts restores of stores
 * @param effectMark mark of the last effect of a batch
 * @param inBatch whether a batch has it, or may have had it as a store was restored
 * @param readings answers taken so far
 * @param mark under which the digest was read; absent before the first
 * @param equalAt when the digest was last known to be right
 * @param now by the clock of the database
 */
record HostPackageState(
    String host,
    String address,
    String osFamily,
    long epoch,
    long effectMark,
    boolean inBatch,
    long readings,
    Optional<String> mark,
    Optional<String> digest,
    Optional<Instant> equalAt,
    Instant now) {

  /** What was done to the host so far: another one after each effect and each end of a lock. */
  String mark(LockTable table) {
    EndedLock endedLock = table.ended().get(host);
    String last =
        endedLock == null
            ? "-"
            : endedLock.lockId() + "." + endedLock.token() + "." + endedLock.mark();
    return epoch + "." + effectMark + "." + last;
  }

  /** The same, and another one after each reading that was taken as well. */
  String stamp(LockTable table) {
    return readings + "." + mark(table);
  }

  /** Whether nobody has the host. */
  boolean free(LockTable table) {
    return !inBatch && !table.locks().containsKey(host);
  }
}
