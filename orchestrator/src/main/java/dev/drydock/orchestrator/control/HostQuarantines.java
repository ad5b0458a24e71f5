package dev.drydock.orchestrator.control;

import dev.drydock.lock.core.Candidates.Impound;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.Locks;
import dev.drydock.orchestrator.store.ImpoundStore;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.AuditTrail;
import dev.drydock.platform.identity.Principal;
import dev.drydock.proto.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Quarantines a host until people bring it back. A lock that is on the host stays until it ends.
 * The grantor then locks the host, before it looks at tickets. Nothing is done on the host. Safe
 * for use by many threads.
 */
public final class HostQuarantines {
  private final Transactor transactor;
  private final Locks locks;

  public HostQuarantines(Jdbi jdbi, Locks locks) {
    this.transactor = new Transactor(jdbi);
    this.locks = locks;
  }

  /**
   * Asks for it; asking again while it is not over answers the first.
   *
   * @param reason what is the matter with the host, not empty
   * @return what was done, in one sentence
   * @throws ApiException 404 without such a host; 422 without a reason
   */
  public String quarantine(Principal by, String host, String reason) {
    if (reason.isBlank()) {
      throw ApiException.invalid(
          "INVALID_REASON", "A quarantine needs a reason: what is the matter with it?", List.of());
    }
    Optional<LockRecord> lock = Optional.ofNullable(locks.table().locks().get(host));
    if (lock.filter(held -> held.kind() == Kind.QUARANTINE).isPresent()) {
      return "%s is quarantined already (%s): %s"
          .formatted(host, lock.get().id(), lock.get().reason());
    }
    String id = transactor.call(handle -> ask(handle, by, host, reason));
    return lock.map(
            held ->
                "%s is quarantined as %s once lock %s of %s ends (%s)"
                    .formatted(host, id, held.id(), held.holder(), held.reason()))
        .orElseGet(() -> "%s is quarantined as %s".formatted(host, id));
  }

  private static String ask(Handle handle, Principal by, String host, String reason) {
    HostReturns.lockHost(handle, host);
    Optional<String> asked = asked(handle, host);
    if (asked.isPresent()) {
      return asked.get();
    }
    Impound impound =
        handle
            .createQuery(
                """
                SELECT 'q' || nextval('grant_numbers') AS id, epoch, acknowledged AS beat
                FROM store_beats
                """)
            .map(
                (row, _) ->
                    new Impound(
                        row.getString("id"),
                        host,
                        List.of(host),
                        Kind.QUARANTINE,
                        Optional.empty(),
                        by.name(),
                        reason,
                        row.getLong("epoch"),
                        row.getLong("beat")))
            .one();
    ImpoundStore.ask(handle, impound);
    Map<String, Object> detail = Map.of("lock", impound.lockId(), "reason", reason);
    AuditTrail.record(handle, by, "host.quarantine", "host/" + host, Json.writeTree(detail));
    return impound.lockId();
  }

  private static Optional<String> asked(Handle handle, String host) {
    return handle
        .createQuery(
            """
            SELECT lock_id FROM impounds
            WHERE host = :host AND kind = 'QUARANTINE' AND done_at IS NULL AND rollout IS NULL
            """)
        .bind("host", host)
        .mapTo(String.class)
        .findFirst();
  }
}
