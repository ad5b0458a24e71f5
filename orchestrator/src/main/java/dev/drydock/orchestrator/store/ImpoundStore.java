package dev.drydock.orchestrator.store;

import dev.drydock.lock.core.Candidates.Impound;
import dev.drydock.lock.core.Candidates.Replaced;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.platform.store.Sql;
import dev.drydock.platform.store.WakeupChannel;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Hosts that the grantor has to lock. Safe for use by many threads. */
public final class ImpoundStore {
  private static final int AT_ONCE = 500;

  private final Jdbi jdbi;

  public ImpoundStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Asks for it, once; the caller holds the lock of the grant if there is one. */
  public static void ask(Handle handle, Impound impound) {
    handle
        .createUpdate(
            """
            INSERT INTO impounds (lock_id, host, hosts, kind, rollout, holder, reason, epoch, beat,
                                  replaces, replaces_mark)
            VALUES (:id, :host, :hosts, :kind, :rollout, :holder, :reason, :epoch, :beat,
                    :replaces, :replacesMark)
            ON CONFLICT (lock_id, host)
            DO UPDATE SET kind = :kind, reason = :reason, epoch = :epoch, done_at = NULL
            """)
        .bind("id", impound.lockId())
        .bind("host", impound.host())
        .bindArray("hosts", String.class, impound.hosts())
        .bind("kind", impound.kind().name())
        .bind("rollout", impound.rollout())
        .bind("holder", impound.holder())
        .bind("reason", impound.reason())
        .bind("epoch", impound.epoch())
        .bind("beat", impound.beat())
        .bind("replaces", impound.replaces().map(Replaced::lockId))
        .bind("replacesMark", impound.replaces().map(Replaced::mark))
        .execute();
    WakeupChannel.notify(handle, Wakeups.GRANTOR_CHANNEL);
  }

  /** Whether the grantor has yet to lock the host for the grant. */
  public static boolean asked(Handle handle, String grantId, String host) {
    return Sql.yes(
        handle,
        """
        SELECT EXISTS (SELECT FROM impounds
                       WHERE lock_id = :id AND host = :host AND done_at IS NULL)
        """,
        Map.of("id", grantId, "host", host));
  }

  /** What a grant's lock on one of its hosts has to be. */
  public static Impound of(Handle handle, String grantId, String host, Kind kind, String reason) {
    return handle
        .createQuery(
            """
            SELECT g.hosts, g.rollout, g.epoch, g.beat, r.requester
            FROM grants g JOIN rollouts r ON r.id = g.rollout WHERE g.id = :id
            """)
        .bind("id", grantId)
        .map(
            (row, context) ->
                new Impound(
                    grantId,
                    host,
                    List.of((String[]) row.getArray("hosts").getArray()),
                    kind,
                    Optional.of(row.getString("rollout")),
                    row.getString("requester"),
                    reason,
                    row.getLong("epoch"),
                    row.getLong("beat")))
        .one();
  }

  /** What is not known to stand, oldest first. */
  List<Impound> open() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT lock_id, host, hosts, kind, rollout, holder, reason, epoch, beat,
                           replaces, replaces_mark
                    FROM impounds WHERE done_at IS NULL ORDER BY asked_at, lock_id, host LIMIT :limit
                    """)
                .bind("limit", AT_ONCE)
                .map(
                    (row, context) ->
                        new Impound(
                            row.getString("lock_id"),
                            row.getString("host"),
                            List.of((String[]) row.getArray("hosts").getArray()),
                            Kind.valueOf(row.getString("kind")),
                            Optional.ofNullable(row.getString("rollout")),
                            row.getString("holder"),
                            row.getString("reason"),
                            row.getLong("epoch"),
                            row.getLong("beat"),
                            replaced(row)))
                .list());
  }

  private static Optional<Replaced> replaced(ResultSet row) throws SQLException {
    String quarantine = row.getString("replaces");
    return quarantine == null
        ? Optional.empty()
        : Optional.of(new Replaced(quarantine, row.getLong("replaces_mark")));
  }

  /** It stands; a batch's hold has another token from now on. */
  void done(Impound impound, long revision) {
    jdbi.useTransaction(
        handle -> {
          if (impound.kind() == Kind.BATCH) {
            Sql.update(
                handle,
                "UPDATE grants SET hold_revision = :revision WHERE id = :id",
                Map.of("revision", revision, "id", impound.lockId()));
          }
          Sql.update(
              handle,
              """
              UPDATE impounds SET done_at = clock_timestamp()
              WHERE lock_id = :id AND host = :host AND kind = :kind
              """,
              Map.of(
                  "id", impound.lockId(),
                  "host", impound.host(),
                  "kind", impound.kind().name()));
        });
  }
}
