package dev.drydock.orchestrator.control;

import dev.drydock.api.EventKind;
import dev.drydock.lock.core.Candidates.Impound;
import dev.drydock.lock.core.Candidates.Replaced;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.Locks;
import dev.drydock.orchestrator.inventory.MarkIssuer;
import dev.drydock.orchestrator.store.ImpoundStore;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.AuditTrail;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.store.Sql;
import dev.drydock.proto.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Brings a quarantined host back to service: a rollout of this host alone, with one batch that only
 * reads, judges and recovers it. The batch begins like one that lost its run and whose rows are not
 * believed, so nothing is updated: Verify, Health, Recover, and the host is in rotation. If any of
 * them fails, the host is quarantined again, with that as the reason. What the quarantine was for
 * stays written in the rollout that it came from.
 *
 * <p>Everything is in one transaction. The grantor then ends the quarantine and locks the host for
 * the batch, before anybody else gets it; jobs are given out from then on. Safe for use by many
 * threads.
 */
public final class HostReturns {
  private final Transactor transactor;
  private final Locks locks;

  public HostReturns(Jdbi jdbi, Locks locks) {
    this.transactor = new Transactor(jdbi);
    this.locks = locks;
  }

  /**
   * What somebody asks for.
   *
   * @param release the one that the host is on; empty for what rows tell of it
   * @param reason why the host is thought to be well
   */
  public record Wish(String host, Optional<String> release, String reason) {}

  /**
   * Begins.
   *
   * @return the id of the rollout that brings the host back, also of one that does so already
   * @throws ApiException 404 without such a host or release; 409 if the host is not quarantined, or
   *     written off; 422 if nothing tells which release it is on
   */
  public String begin(Principal by, Wish wish) {
    Optional<LockRecord> lock = Optional.ofNullable(locks.table().locks().get(wish.host()));
    return transactor.call(
        handle -> {
          lockHost(handle, wish.host());
          HostWriteOffs.refuse(handle, wish.host());
          Optional<String> underWay = underWay(handle, wish.host());
          return underWay.isPresent()
              ? underWay.get()
              : write(handle, by, wish, quarantine(wish.host(), lock));
        });
  }

  /** Two commands about one host come one after the other, so that the second finds the first. */
  static void lockHost(Handle handle, String host) {
    String known = "SELECT name FROM hosts WHERE name = :host FOR NO KEY UPDATE";
    if (Sql.texts(handle, known, Map.of("host", host)).isEmpty()) {
      throw ApiException.notFound("UNKNOWN_HOST", "there is no host named " + host);
    }
  }

  private static Optional<String> underWay(Handle handle, String host) {
    return Sql.find(
        handle,
        String.class,
        """
        SELECT u.rollout FROM host_upgrades u
        JOIN impounds i ON i.lock_id = u.grant_id AND i.host = u.host
        WHERE u.host = :host AND u.state = 'InProgress' AND i.replaces IS NOT NULL
        """,
        Map.of("host", host));
  }

  private static LockRecord quarantine(String host, Optional<LockRecord> lock) {
    LockRecord held =
        lock.orElseThrow(
            () ->
                ApiException.conflict(
                    "NOT_QUARANTINED", host + " is not quarantined: nobody has it locked."));
    if (held.kind() != Kind.QUARANTINE) {
      throw ApiException.conflict(
          "NOT_QUARANTINED",
          "%s is not quarantined: lock %s of %s is on it (%s)."
              .formatted(host, held.id(), held.holder(), held.reason()));
    }
    return held;
  }

  private static String write(Handle handle, Principal by, Wish wish, LockRecord quarantine) {
    Came came = came(handle, wish.host(), quarantine.id());
    String release =
        wish.release()
            .or(came::release)
            .orElseThrow(
                () ->
                    ApiException.invalid(
                        "RELEASE_NEEDED",
                        "nothing tells which release %s is on; name it: drydock host return %s --release NAME (those that are known: drydock release list)."
                            .formatted(wish.host(), wish.host()),
                        List.of()));
    requireRelease(handle, release);
    String reason = wish.reason().isEmpty() ? "host return" : wish.reason();
    String rollout = insertRollout(handle, by, release, came.mode(), reason);
    Impound impound = insertBatch(handle, by, rollout, wish.host(), reason, quarantine);
    ImpoundStore.ask(handle, impound);
    Map<String, Object> detail =
        Map.of(
            "release",
            release,
            "hosts",
            List.of(wish.host()),
            "reason",
            reason,
            "quarantine",
            quarantine.id());
    NewEvent.ofRollout(EventKind.RolloutCreated, rollout, detail).append(handle);
    AuditTrail.record(handle, by, "host.return", "host/" + wish.host(), Json.writeTree(detail));
    return rollout;
  }

  /**
   * Where the host was when it was quarantined.
   *
   * @param release the one it was updated to, or else the one it had
   */
  private record Came(String mode, Optional<String> release) {}

  private static Came came(Handle handle, String host, String grant) {
    return Sql.one(
        handle,
        Came.class,
        """
        SELECT COALESCE(r.mode, 'PackageUpdate') AS mode,
               CASE WHEN EXISTS (SELECT FROM jobs j
                                 WHERE j.grant_id = :grant AND j.host = h.name
                                   AND j.step = 'Update' AND j.attempt > 0)
                    THEN COALESCE(u.back_to, r.release)
                    ELSE COALESCE(h.release, u.release_before) END AS release
        FROM hosts h
        LEFT JOIN host_upgrades u ON u.grant_id = :grant AND u.host = h.name
        LEFT JOIN rollouts r ON r.id = u.rollout
        WHERE h.name = :host
        """,
        Map.of("host", host, "grant", grant));
  }

  private static void requireRelease(Handle handle, String release) {
    String known = "SELECT name FROM releases WHERE name = :release";
    if (Sql.texts(handle, known, Map.of("release", release)).isEmpty()) {
      throw ApiException.notFound("UNKNOWN_RELEASE", "there is no release named " + release);
    }
  }

  private static String insertRollout(
      Handle handle, Principal by, String release, String mode, String reason) {
    return Sql.one(
        handle,
        String.class,
        """
        INSERT INTO rollouts (id, number, release, mode, state, reason, requester, team)
        OVERRIDING SYSTEM VALUE
        SELECT 'r' || n, n, :release, :mode, 'Running', :reason, :requester, :team
        FROM nextval(pg_get_serial_sequence('rollouts', 'number')) AS n
        RETURNING id
        """,
        Map.of(
            "release", release,
            "mode", mode,
            "reason", reason,
            "requester", by.name(),
            "team", by.team()));
  }

  /** The batch works without an admission: its host is down already, and it takes nothing else. */
  private static Impound insertBatch(
      Handle handle,
      Principal by,
      String rollout,
      String host,
      String reason,
      LockRecord quarantine) {
    Impound impound =
        handle
            .createQuery(
                """
                INSERT INTO grants (id, rollout, hosts, state, stage, epoch, beat, run, evidence,
                                    seniority_revision, seniority_index, reclaim, blind, hooked)
                SELECT 'g' || nextval('grant_numbers'), :rollout, :hosts, 'granted', 'open',
                       -- A beat that etcd has not would look like an etcd that was restored.
                       epoch, acknowledged, 0, '{}', 0, 0, :why, true, false
                FROM store_beats
                RETURNING id, epoch, beat
                """)
            .bind("rollout", rollout)
            .bindArray("hosts", String.class, List.of(host))
            .bind("why", "%s brings it back: %s".formatted(by.name(), reason))
            .map(
                (row, _) ->
                    new Impound(
                        row.getString("id"),
                        host,
                        List.of(host),
                        Kind.BATCH,
                        Optional.of(rollout),
                        by.name(),
                        reason,
                        row.getLong("epoch"),
                        row.getLong("beat"),
                        Optional.of(
                            new Replaced(
                                quarantine.id(), MarkIssuer.issue(handle, MarkIssuer.SERVER)))))
            .one();
    Sql.update(
        handle,
        """
        INSERT INTO host_upgrades (rollout, host, position, batch, state, grant_id, started_at,
                                   release_before, seniority_revision, seniority_index)
        SELECT :rollout, name, 1, 0, 'InProgress', :grant, clock_timestamp(), release, 0, 0
        FROM hosts WHERE name = :host
        """,
        Map.of("rollout", rollout, "host", host, "grant", impound.lockId()));
    return impound;
  }
}
