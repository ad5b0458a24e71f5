package dev.drydock.lock.api;

import dev.drydock.api.BreakGlassReason;
import dev.drydock.lock.core.HoldOwner;
import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.etcd.RequestStatus;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.Principal;
import dev.drydock.proto.Json;
import java.util.Map;

/**
 * Takes hosts away from whoever has them (protocol P4). What was going on there is unknown, so
 * nobody else gets them either: they are quarantined, and an administrator ends the quarantine once
 * they were looked at.
 */
final class BreakGlass {
  private final Holds holds;
  private final HoldOwner owner;
  private final LockAudit audit;

  BreakGlass(Holds holds, HoldOwner owner, LockAudit audit) {
    this.holds = holds;
    this.owner = owner;
    this.audit = audit;
  }

  /** Breaks the lock; repeating it finishes what was begun. */
  void apply(
      Principal principal, RequestStatus requestStatus, BreakGlassReason kind, String reason) {
    ReasonText.require(reason, "INVALID_REASON", "Breaking a lock");
    if (!(requestStatus instanceof RequestStatus.Held held)) {
      throw ApiException.conflict(
          "NOT_A_LOCK", requestStatus.id() + " holds no host: there is nothing to break");
    }
    String id = held.id();
    String told = LockRecord.BROKEN_BY + principal.name() + " (" + kind + "): " + reason;
    if (held.locks().stream().anyMatch(lock -> lock.kind() != Kind.QUARANTINE)) {
      audit.record(
          principal,
          "lock.breakGlass",
          "ticket/" + id,
          Json.writeTree(
              Map.of(
                  "kind",
                  kind.name(),
                  "reason",
                  reason,
                  "hosts",
                  held.hosts(),
                  "holder",
                  held.holder())));
    }
    // A batch's locks carry its rollout, also those that are quarantined already.
    boolean batch = held.locks().stream().anyMatch(lock -> lock.rollout().isPresent());
    if (batch) {
      owner.bar(id);
    }
    for (LockRecord lock : held.locks()) {
      holds.quarantine(id, lock.host(), told);
    }
    if (batch) {
      owner.broken(id, told);
    }
  }
}
