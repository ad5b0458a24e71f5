package dev.drydock.orchestrator.inventory.api;

import com.linkedin.data.template.StringArray;
import com.linkedin.data.template.StringMap;
import dev.drydock.api.HealthState;
import dev.drydock.api.Host;
import dev.drydock.api.Instance;
import dev.drydock.api.InstanceArray;
import dev.drydock.api.Lock;
import dev.drydock.api.LockKind;
import dev.drydock.api.LockState;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.orchestrator.inventory.HostRow;
import java.util.Locale;
import java.util.Optional;

/** Hosts in the words of the wire. */
final class HostRecords {
  private HostRecords() {}

  static Host host(HostRow row, LockTable locks) {
    Host host =
        new Host()
            .setName(row.name())
            .setAddress(row.address())
            .setScheduler(row.scheduler())
            .setHardwareClass(row.hardwareClass())
            .setLabels(new StringMap(row.labels()))
            .setSource(row.source())
            .setObservedAt(row.observedAt().toEpochMilli());
    row.vanishedAt().ifPresent(at -> host.setVanishedAt(at.toEpochMilli()));
    row.release().ifPresent(host::setRelease);
    InstanceArray instances = new InstanceArray();
    row.instances().forEach(instance -> instances.add(instance(instance)));
    host.setInstances(instances);
    Optional.ofNullable(locks.locks().get(row.name()))
        .ifPresent(lock -> host.setLock(lock(lock, locks.lapsed(lock))));
    return host;
  }

  private static Instance instance(HostRow.InstanceRow row) {
    Instance instance =
        new Instance()
            .setId(row.id())
            .setApplication(row.application())
            .setHost(row.host())
            .setZone(row.zone())
            .setHealth(HealthState.valueOf(row.health()))
            .setDetail(row.detail())
            .setObservedAt(row.observedAt().toEpochMilli())
            .setMark(row.mark());
    row.vanishedAt().ifPresent(at -> instance.setVanishedAt(at.toEpochMilli()));
    return instance;
  }

  private static Lock lock(LockRecord record, boolean lapsed) {
    LockKind kind =
        switch (record.kind()) {
          case SESSION -> LockKind.Session;
          case BATCH -> LockKind.Batch;
          case QUARANTINE -> LockKind.Quarantine;
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
    record.rollout().ifPresent(lock::setRollout);
    if (kind != LockKind.Session) {
      lock.setGrant(record.id());
    }
    return lock;
  }
}
