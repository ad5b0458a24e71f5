package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Candidates.Impound;
import dev.drydock.lock.core.Candidates.Replaced;
import dev.drydock.lock.core.Grants;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.txn.Fence;
import dev.drydock.lock.core.txn.HoldTransactions;
import dev.drydock.lock.core.txn.Replica;
import dev.drydock.proto.crash.CrashPoint;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Locks hosts that have to be held, before anybody gets anything. Who has one of them keeps it, and
 * the next look finds it free. Confined to the grantor's thread: nobody else may lock a host.
 */
final class ImpoundExecutor {
  private static final Logger log = LoggerFactory.getLogger(ImpoundExecutor.class);

  private final GrantorDependencies parts;
  private final FencedCommits commits;
  private final EtcdHolds holds;
  private boolean open = true;

  ImpoundExecutor(GrantorDependencies parts, FencedCommits commits) {
    this.parts = parts;
    this.commits = commits;
    holds = new EtcdHolds(parts.etcd(), parts.mirror());
  }

  /**
   * Locks what is free and wanted.
   *
   * @param replica as of now
   * @return whether something was sent, so that {@code replica} may be outdated
   */
  boolean carryOut(Replica replica, Fence fence) {
    boolean sent = false;
    List<Impound> impounds = parts.candidates().impounds();
    open = !impounds.isEmpty();
    for (Impound impound : impounds) {
      Optional<LockRecord> lock = replica.lockOn(impound.host());
      if (lock.filter(there -> there.id().equals(impound.lockId())).isPresent()) {
        stands(impound, lock.get());
      } else if (!replica.excluded(impound.host()) || endsFor(impound, lock)) {
        sent = true;
        if (commits.alone(HoldTransactions.impound(Grants.impound(impound)), fence)) {
          CrashPoint.reach("after-host-impounded");
          log.warn("{} is locked for {}: {}", impound.host(), impound.lockId(), impound.reason());
          parts.candidates().impounded(impound, commits.revision());
        }
      }
    }
    return sent;
  }

  /**
   * Whether hosts may still have to be locked. Then no host is handed over to the next ticket in
   * its queue: impounds come before every ticket.
   */
  boolean open() {
    return open;
  }

  /** Ends the quarantine that the lock replaces; nobody but this thread locks the host then. */
  private boolean endsFor(Impound impound, Optional<LockRecord> lock) {
    Optional<Replaced> ending = lock.flatMap(impound::ending);
    ending.ifPresent(
        old -> {
          holds.endQuarantine(lock.orElseThrow(), old.mark(), impound.holder(), impound.reason());
          CrashPoint.reach("after-quarantine-ended");
        });
    return ending.isPresent();
  }

  private void stands(Impound impound, LockRecord lock) {
    boolean becomes = impound.kind() == Kind.QUARANTINE && lock.kind() != Kind.QUARANTINE;
    // One that has ended meanwhile is locked anew at the next look.
    if (!becomes || holds.quarantine(impound.lockId(), impound.host(), impound.reason())) {
      parts.candidates().impounded(impound, lock.token());
    }
  }
}
