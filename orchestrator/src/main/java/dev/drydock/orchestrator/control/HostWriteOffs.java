package dev.drydock.orchestrator.control;

import dev.drydock.api.EventKind;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Locks;
import dev.drydock.orchestrator.inventory.InventoryLock;
import dev.drydock.orchestrator.store.ReasonParts;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.orchestrator.store.WorkflowIds;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.AuditTrail;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.store.Sql;
import dev.drydock.platform.store.WakeupChannel;
import dev.drydock.proto.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Writes hosts off that people do not expect back, and takes that back. A host that is written off
 * counts like one that its source no longer names: no budget and no zone waits for it, and it
 * leaves every rollout in which it waits. A quarantine on it stays. Nothing is done on the host.
 * Safe for use by many threads.
 */
public final class HostWriteOffs {
  private final Transactor transactor;
  private final Locks locks;

  public HostWriteOffs(Jdbi jdbi, Locks locks) {
    this.transactor = new Transactor(jdbi);
    this.locks = locks;
  }

  /**
   * Writes the host off; once, however often it is asked for.
   *
   * @param reason why it does not come back, not empty
   * @return what was done, in one sentence
   * @throws ApiException 404 without such a host; 409 while somebody works on it; 422 without a
   *     reason
   */
  public String writeOff(Principal by, String host, String reason) {
    if (reason.isBlank()) {
      throw ApiException.invalid(
          "INVALID_REASON", "A write-off needs a reason: why does it not come back?", List.of());
    }
    requireNobodyWorksOn(host);
    return transactor.call(
        handle -> {
          // As reports do: one that was read before must not bring the host back after this.
          InventoryLock.take(handle);
          HostReturns.lockHost(handle, host);
          Optional<String> before = reason(handle, host);
          if (before.isPresent()) {
            return "%s is written off already: %s".formatted(host, before.get());
          }
          requireNotInProgress(handle, host);
          mark(handle, by, host, reason);
          List<String> left = leaveRollouts(handle, by, host, reason);
          record(handle, by, "host.writeOff", host, Map.of("reason", reason, "rollouts", left));
          return "%s is written off; no budget and no zone waits for it%s"
              .formatted(
                  host, left.isEmpty() ? "" : ", and it left rollout " + String.join(", ", left));
        });
  }

  /**
   * Takes a write-off back: the next report of its source counts again.
   *
   * @param reason why it is expected after all, for the audit trail; may be empty
   * @return what was done, in one sentence
   * @throws ApiException 404 without such a host
   */
  public String takeBack(Principal by, String host, String reason) {
    return transactor.call(
        handle -> {
          HostReturns.lockHost(handle, host);
          if (reason(handle, host).isEmpty()) {
            return host + " is not written off";
          }
          Sql.update(
              handle,
              """
              UPDATE hosts
              SET written_off_at = NULL, written_off_by = NULL, written_off_reason = NULL
              WHERE name = :host
              """,
              Map.of("host", host));
          record(handle, by, "host.takeBack", host, Map.of("reason", reason));
          return "%s counts again once its source reports it".formatted(host);
        });
  }

  /** Nothing is done on a host that is written off. */
  static void refuse(Handle handle, String host) {
    reason(handle, host)
        .ifPresent(
            reason -> {
              throw ApiException.conflict(
                  "WRITTEN_OFF",
                  "%s is written off: %s; take that back first (drydock host write-off %s --undo)."
                      .formatted(host, reason, host));
            });
  }

  private void requireNobodyWorksOn(String host) {
    LockTable table = locks.table();
    LockRecord lock = table.locks().get(host);
    // The client of a lapsed one is gone; it stays until the host is seen healthy, which never
    // comes.
    if (lock != null && lock.kind() != Kind.QUARANTINE && !table.lapsed(lock)) {
      throw ApiException.conflict(
          "HOST_LOCKED",
          "%s works on %s (lock %s, %s); write it off when that has ended, or end it with \"drydock lock release %s\"."
              .formatted(lock.holder(), host, lock.id(), lock.reason(), lock.id()));
    }
  }

  /** Between its grant and its lock a host of a batch is locked by nobody yet. */
  private static void requireNotInProgress(Handle handle, String host) {
    // The grantor proposes a host under the same row locks.
    List<String> rollouts =
        Sql.texts(
            handle,
            """
            SELECT rollout FROM host_upgrades
            WHERE host = :host AND state IN ('Pending', 'InProgress')
            ORDER BY rollout FOR NO KEY UPDATE
            """,
            Map.of("host", host));
    List<String> taken =
        Sql.texts(
            handle,
            """
            SELECT rollout FROM host_upgrades
            WHERE host = :host AND rollout = ANY(:rollouts)
              AND (state = 'InProgress' OR grant_id IS NOT NULL)
            """,
            Map.of("host", host, "rollouts", rollouts));
    if (!taken.isEmpty()) {
      throw ApiException.conflict(
          "HOST_STATE",
          "%s is granted to rollout %s; write it off when that has ended."
              .formatted(host, taken.getFirst()));
    }
  }

  private static void mark(Handle handle, Principal by, String host, String reason) {
    Sql.update(
        handle,
        """
        UPDATE hosts
        SET written_off_at = clock_timestamp(), written_off_by = :by,
            written_off_reason = :reason, vanished_at = COALESCE(vanished_at, clock_timestamp())
        WHERE name = :host
        """,
        Map.of("by", by.name(), "reason", reason, "host", host));
    Sql.update(
        handle,
        """
        UPDATE instances SET vanished_at = clock_timestamp()
        WHERE host = :host AND vanished_at IS NULL
        """,
        Map.of("host", host));
  }

  /** Answers the rollouts in which it waited. */
  private static List<String> leaveRollouts(
      Handle handle, Principal by, String host, String reason) {
    List<String> left =
        Sql.texts(
            handle,
            """
            UPDATE host_upgrades
            SET state = 'Cancelled', reason = :reason, ended_at = clock_timestamp()
            WHERE host = :host AND state = 'Pending' AND grant_id IS NULL
            RETURNING rollout
            """,
            Map.of("reason", ReasonParts.by("written off", by.name(), reason), "host", host));
    for (String rollout : left) {
      Map<String, Object> detail =
          Map.of("hosts", List.of(host), "by", by.name(), "reason", reason);
      NewEvent.ofRollout(EventKind.RolloutHostsRemoved, rollout, detail).append(handle);
      Wakeups.add(handle, WorkflowIds.rollout(rollout), "host.writeOff");
    }
    return left;
  }

  private static void record(
      Handle handle, Principal by, String action, String host, Map<String, Object> detail) {
    AuditTrail.record(handle, by, action, "host/" + host, Json.writeTree(detail));
    WakeupChannel.notify(handle, Wakeups.GRANTOR_CHANNEL);
  }

  private static Optional<String> reason(Handle handle, String host) {
    return Sql.find(
        handle,
        String.class,
        "SELECT written_off_reason FROM hosts WHERE name = :host AND written_off_at IS NOT NULL",
        Map.of("host", host));
  }
}
