package dev.drydock.orchestrator.inventory.api;

import com.linkedin.data.template.StringArray;
import dev.drydock.api.Host;
import dev.drydock.api.Lock;
import dev.drydock.api.LockKind;
import dev.drydock.api.LockState;
import dev.drydock.lock.core.HoldIds;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** Shows the locks on hosts, in the words of the wire. */
final class HostLocks {
  private HostLocks() {}

  /**
   * Shows the lock on a host, if it has one.
   *
   * @param until about when an expired lock excludes nobody any more
   */
  static void show(LockTable locks, Function<LockRecord, Optional<Instant>> until, Host host) {
    LockRecord record = locks.locks().get(host.getName());
    if (record == null) {
      return;
    }
    Lock lock = lock(record, locks.lapsed(record));
    if (record.kind() == LockRecord.Kind.SESSION) {
      lock.setAlive(!locks.expired(record));
    }
    if (locks.expired(record) && !locks.lapsed(record)) {
      until.apply(record).map(Instant::toEpochMilli).ifPresent(lock::setExcludesUntil);
    }
    host.setLock(lock);
  }

  private static Lock lock(LockRecord record, boolean lapsed) {
    LockKind kind =
        switch (record.kind()) {
          case SESSION -> LockKind.Session;
          case BATCH -> LockKind.Batch;
          case QUARANTINE -> LockKind.Quarantine;
          case FLEETLOCK -> HoldIds.byHand(record.id()) ? LockKind.Maintenance : LockKind.FleetLock;
        };
    Lock lock =
        new Lock()
            .setId(record.id())
            .setKind(kind)
            .setState(lapsed ? LockState.Lapsed : LockState.Held)
            .setHosts(new StringArray(record.hosts()))
            .setApplications(new StringArray(record.applications()))
            .setHolder(record.holder())
            .setReason(record.reason())
            .setStage(kind == LockKind.Batch ? record.stage().name().toLowerCase(Locale.ROOT) : "")
            .setExplanation("")
            .setToken(record.token());
    record.rollout().ifPresent(rollout -> lock.setRollout(rollout).setGrant(record.id()));
    return lock;
  }
}
