package dev.drydock.orchestrator.recovery;

import dev.drydock.lock.core.Candidates.Impound;
import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.StoreTime;
import dev.drydock.lock.core.StoreTime.Committed;
import dev.drydock.orchestrator.batch.BatchPolicies;
import dev.drydock.orchestrator.core.restore.RestoredHoldDecision;
import dev.drydock.orchestrator.recovery.Recoveries.Open;
import dev.drydock.orchestrator.recovery.StoreAgreement.Store;
import dev.drydock.orchestrator.store.ImpoundStore;
import dev.drydock.orchestrator.store.OrphanRows.Worked;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
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
 *   <li>Whatever waits is read before it is worked on.
 *   <li>Batches that rows do not know to have had hooks had none, where that is known (ADR 34).
 * </ol>
 */
final class StoreReconciler {
  private final Jdbi jdbi;
  private final Holds holds;
  private final StoreTime etcd;
  private final BatchPolicies policies;

  StoreReconciler(Jdbi jdbi, Holds holds, StoreTime etcd, BatchPolicies policies) {
    this.policies = policies;
    this.jdbi = jdbi;
    this.holds = holds;
    this.etcd = etcd;
  }

  /** Does so unless it was done. Nobody grants meanwhile, so what is read of etcd stays so. */
  void join(Open recovery) {
    LockTable table = holds.table();
    List<Committed> committed =
        recovery.behind() == Store.POSTGRESQL ? etcd.committed() : List.of();
    StoreTime.Now time = etcd.now();
    boolean hooked = recovery.behind() == Store.POSTGRESQL && !policies.now().hooks().isEmpty();
    List<LockRecord> strangers =
        jdbi.inTransaction(
            handle ->
                ReconciledRows.lock(handle, recovery)
                    ? join(handle, recovery, new Found(table, committed, time, hooked))
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

  /**
   * What etcd has.
   *
   * @param hooked whether any policy wants hooks
   */
  private record Found(
      LockTable table, List<Committed> committed, StoreTime.Now time, boolean hooked) {
    List<LockRecord> batches() {
      return table.locks().values().stream().filter(lock -> lock.kind() == Kind.BATCH).toList();
    }

    /** Of the batch, or of people who have its host. */
    Optional<Kind> lock(String grant, String host) {
      return Optional.ofNullable(table.locks().get(host))
          .filter(lock -> lock.id().equals(grant) || lock.kind() == Kind.QUARANTINE)
          .map(LockRecord::kind);
    }
  }

  private List<LockRecord> join(Handle handle, Open recovery, Found found) {
    ReconciledRows rows = new ReconciledRows(handle);
    String why = recovery.behind().word() + " was restored while the batch was under way";
    List<LockRecord> strangers = new ArrayList<>();
    if (recovery.behind() == Store.POSTGRESQL) {
      new NumberRestorer(handle).after(found.committed(), found.table());
      for (LockRecord lock : found.batches()) {
        if (!rows.adopt(lock)) {
          strangers.add(lock);
        }
      }
      rows.granted(found.committed());
      if (rows.judgedAs(found.time().generation()) && !found.hooked()) {
        rows.withoutHooks();
      }
    }
    rows.readFirst();
    long epoch = Math.max(rows.epoch(), found.time().epoch()) + 1;
    rows.reclaim(recovery, epoch, why);
    for (Worked worked : rows.worked()) {
      switch (RestoredHoldDecision.of(found.lock(worked.grant(), worked.host()))) {
        case READ -> {}
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

  /** Locks that people or hosts have, and that no row of a batch tells of; one for each host. */
  private static void lostLocks(Handle handle, ReconciledRows rows, LockTable table) {
    Map<String, LockRecord> locks = table.locks();
    Set<String> known = rows.worked().stream().map(Worked::host).collect(Collectors.toSet());
    for (Impound lost : rows.keptByPeople()) {
      LockRecord there = locks.get(lost.host());
      boolean stands =
          there != null && there.id().equals(lost.lockId()) && there.kind() == lost.kind();
      if (known.add(lost.host()) && !stands) {
        ImpoundStore.ask(handle, lost);
      }
    }
  }
}
