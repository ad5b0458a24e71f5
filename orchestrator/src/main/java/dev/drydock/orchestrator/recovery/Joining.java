package dev.drydock.orchestrator.recovery;

import dev.drydock.lock.core.Candidates.Impound;
import dev.drydock.lock.core.Ended;
import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.StoreTime;
import dev.drydock.lock.core.StoreTime.Committed;
import dev.drydock.orchestrator.recovery.Agreement.Store;
import dev.drydock.orchestrator.recovery.Recoveries.Open;
import dev.drydock.orchestrator.store.ImpoundStore;
import dev.drydock.orchestrator.store.OrphanRows.Worked;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Joins what both stores know of, in one transaction. From then on every host that either of them
 * has under way is under way in both, or in the hands of people:
 *
 * <ol>
 *   <li>Numbers go on behind the highest that either store gave out.
 *   <li>Rows are made for holds that only etcd knows of.
 *   <li>What only rows know of is to be locked again by the grantor, also quarantines.
 *   <li>Every batch under way is reclaimed, in the epoch that will begin.
 *   <li>Hosts of grants that rows do not know of are read before they are worked on again.
 * </ol>
 */
final class Joining {
  private final Jdbi jdbi;
  private final Holds holds;
  private final StoreTime etcd;

  Joining(Jdbi jdbi, Holds holds, StoreTime etcd) {
    this.jdbi = jdbi;
    this.holds = holds;
    this.etcd = etcd;
  }

  /** Does so unless it was done. Nobody grants meanwhile, so what is read of etcd stays so. */
  void join(Open recovery) {
    LockTable table = holds.table();
    List<Committed> committed =
        recovery.behind() == Store.POSTGRESQL ? etcd.committed() : List.of();
    long etcdEpoch = etcd.now().epoch();
    List<LockRecord> strangers =
        jdbi.inTransaction(
            handle ->
                JoinedRows.lock(handle, recovery)
                    ? join(handle, recovery, new Found(table, committed, etcdEpoch))
                    : List.of());
    for (LockRecord lock : strangers) {
      holds.quarantine(
          lock.id(),
          lock.host(),
          "it was held by "
              + lock.id()
              + " when PostgreSQL was restored, which knows nothing of it");
    }
  }

  /** What etcd has. */
  private record Found(LockTable table, List<Committed> committed, long epoch) {
    List<LockRecord> batches() {
      return table.locks().values().stream().filter(lock -> lock.kind() == Kind.BATCH).toList();
    }

    Optional<Kind> lock(String grant, String host) {
      return Optional.ofNullable(table.locks().get(host))
          .filter(lock -> lock.id().equals(grant))
          .map(LockRecord::kind);
    }
  }

  private static List<LockRecord> join(Handle handle, Open recovery, Found found) {
    JoinedRows rows = new JoinedRows(handle);
    String why = recovery.behind().word() + " was restored while the batch was under way";
    List<LockRecord> strangers = new ArrayList<>();
    if (recovery.behind() == Store.POSTGRESQL) {
      rows.numbersAfter(
          found.committed().stream().map(Committed::grantId).toList(),
          found.table().ended().values().stream().mapToLong(Ended::mark).max().orElse(0));
      for (LockRecord lock : found.batches()) {
        if (!rows.adopt(lock)) {
          strangers.add(lock);
        }
      }
      rows.readFirst(found.committed());
    }
    long epoch = Math.max(rows.epoch(), found.epoch()) + 1;
    rows.reclaim(recovery, epoch, why);
    for (Worked worked : rows.worked()) {
      switch (Fate.of(true, found.lock(worked.grant(), worked.host()), true)) {
        case READ, ADOPT -> {}
        case QUARANTINE -> rows.quarantined(worked, why);
        case LOCK ->
            ImpoundStore.ask(
                handle, ImpoundStore.of(handle, worked.grant(), worked.host(), Kind.BATCH, why));
      }
    }
    if (recovery.behind() == Store.ETCD) {
      lostLocks(handle, rows, found.table());
    }
    rows.joined(recovery, epoch);
    return strangers;
  }

  /** Locks that people or hosts have, and that no row of a batch tells of. */
  private static void lostLocks(Handle handle, JoinedRows rows, LockTable table) {
    Map<String, LockRecord> locks = table.locks();
    for (Impound lost : rows.keptByPeople()) {
      LockRecord there = locks.get(lost.host());
      if (there == null || !there.id().equals(lost.lockId()) || there.kind() != lost.kind()) {
        ImpoundStore.ask(handle, lost);
      }
    }
  }
}
