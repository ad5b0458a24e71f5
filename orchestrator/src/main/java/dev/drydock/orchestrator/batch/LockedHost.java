package dev.drydock.orchestrator.batch;

import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.orchestrator.store.BatchHosts;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.store.ImpoundStore;
import org.jdbi.v3.core.Handle;

/**
 * A host whose lock in etcd was made a quarantine.
 *
 * @param locked whether its grant had a lock on it. It has none if people ended its hold before, or
 *     if a restored etcd lost it
 * @param toBeLocked whether the grantor has yet to lock it for the grant
 */
record LockedHost(String host, String reason, boolean locked, boolean toBeLocked) {

  /** Writes that it left its batch, unless it has. */
  void leave(Handle handle, GrantRow grant) {
    if (!BatchHosts.active(handle, grant.id()).contains(host)) {
      return;
    }
    String recorded =
        locked || toBeLocked ? reason : reason + "; its hold was already ended by people";
    if (!locked && toBeLocked) {
      ImpoundStore.ask(
          handle, ImpoundStore.of(handle, grant.id(), host, Kind.QUARANTINE, recorded));
    }
    new EndWriter(handle, grant).quarantined(host, recorded);
  }
}
