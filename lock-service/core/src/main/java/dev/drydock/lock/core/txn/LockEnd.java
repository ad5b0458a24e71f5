package dev.drydock.lock.core.txn;

import java.util.ArrayList;
import java.util.List;

/**
 * The end of a session lock that its holder is done with. The holder writes it itself, or the
 * grantor does together with what it grants by that.
 *
 * @param mark observations before it say nothing about the hosts any more
 */
public record LockEnd(Release release, long mark, String by, String reason) {

  public Transaction transaction() {
    return SessionTransactions.release(release, mark, by, reason);
  }

  /** All of them or none. */
  public static Transaction together(List<LockEnd> ends) {
    return Transaction.together("end locks", ends.stream().map(LockEnd::transaction).toList());
  }

  /** Whether the lock is, in that copy, as it is about to be ended. */
  public boolean ends(Replica replica) {
    return replica
        .release(release.id())
        .filter(now -> now.lock().modified() == release.lock().modified())
        .isPresent();
  }

  /** What it changes if it is written at {@code revision}. */
  public List<Change> changes(long revision) {
    List<Change> changes = new ArrayList<>();
    Stored<SessionLock> lock = release.lock();
    changes.add(
        Change.put(
            new Stored<>(
                lock.key(),
                new SessionLock.Over(SessionTransactions.ended(release, mark, by, reason)),
                lock.created(),
                revision)));
    release.outdated().forEach(key -> changes.add(Change.deleted(key)));
    return changes;
  }
}
