package dev.drydock.orchestrator.recovery;

import dev.drydock.api.EventKind;
import dev.drydock.lock.core.Candidates.Impound;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.StoreTime.Committed;
import dev.drydock.orchestrator.recovery.Recoveries.Open;
import dev.drydock.orchestrator.recovery.StoreAgreement.Store;
import dev.drydock.orchestrator.store.BatchHosts;
import dev.drydock.orchestrator.store.OrphanRows.Worked;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.orchestrator.store.WorkflowIds;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.store.Sql;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** The rows of a recovery, inside the transaction that joins both stores. */
final class ReconciledRows {
  /** Workflows whose runs have numbers that rows do not know of may still be at work. */
  private static final int RUNS_FORGOTTEN_MAX = 1_000_000;

  /**
   * The history is never shortened: it is read of hosts alone that people had and whose lock was
   * not told to have ended, which an index of the few such locks names.
   */
  static final String KEPT_BY_PEOPLE =
      """
      WITH kept AS MATERIALIZED (
        SELECT DISTINCT x.host
        FROM lock_history h CROSS JOIN LATERAL unnest(h.hosts) AS x(host)
        WHERE (h.what = 'Quarantined' OR h.what = 'Granted' AND h.kind IN ('FleetLock', 'Maintenance'))
          AND NOT EXISTS (
            SELECT FROM lock_history e
            WHERE e.lock_id = h.lock_id AND e.what = 'Ended' AND x.host = ANY(e.hosts)
              AND (e.epoch, e.revision, e.ordinal) > (h.epoch, h.revision, h.ordinal)))
      SELECT last.lock_id, k.host, last.hosts, last.what, last.kind, last.holder, last.reason,
             last.rollout
      FROM kept k CROSS JOIN LATERAL (
        SELECT * FROM (
          SELECT * FROM lock_history h
          WHERE h.hosts @> ARRAY[k.host] AND h.what IN ('Granted', 'Quarantined', 'Ended')
          OFFSET 0) told -- By the index of hosts: back from the newest it may be a long way.
        ORDER BY epoch DESC, revision DESC, ordinal DESC LIMIT 1) last
      WHERE last.what = 'Quarantined'
         OR last.what = 'Granted' AND last.kind IN ('FleetLock', 'Maintenance')
      UNION ALL
      SELECT u.grant_id, u.host, g.hosts, 'Quarantined', 'Quarantine', r.requester, u.reason,
             u.rollout
      FROM host_upgrades u
      JOIN grants g ON g.id = u.grant_id
      JOIN rollouts r ON r.id = u.rollout
      WHERE u.state = 'Quarantined' AND NOT EXISTS (
        SELECT FROM lock_history h
        WHERE h.lock_id = u.grant_id AND u.host = ANY(h.hosts)
          AND h.what IN ('Ended', 'Quarantined'))
      """;

  private final Handle handle;

  ReconciledRows(Handle handle) {
    this.handle = handle;
  }

  /** Keeps the recovery from changing; false when it is over or was joined already. */
  static boolean lock(Handle handle, Open recovery) {
    return Sql.find(
            handle,
            Long.class,
            """
            SELECT id FROM recoveries WHERE id = :id AND ended_at IS NULL AND epoch IS NULL
            FOR UPDATE
            """,
            Map.of("id", recovery.id()))
        .isPresent();
  }

  long epoch() {
    return Beats.epoch(handle);
  }

  /** Whether no policy was changed since the copy, nor anything else that grants are judged by. */
  boolean judgedAs(long generation) {
    return Beats.generation(handle) == generation;
  }

  /** Proposals that the rows do not know to have been granted are under way. */
  void granted(List<Committed> committed) {
    Sql.update(
        handle,
        """
        WITH found AS (
          UPDATE grants SET state = 'granted', seniority_revision = COALESCE(seniority_revision, 0),
            seniority_index = COALESCE(seniority_index, 0)
          WHERE state = 'proposed'
            AND (id, beat) IN (SELECT * FROM unnest(CAST(:ids AS text[]), CAST(:beats AS bigint[])))
          RETURNING *)
        UPDATE host_upgrades u
        SET state = 'InProgress', reason = '', not_before = NULL,
            started_at = COALESCE(u.started_at, clock_timestamp()),
            seniority_revision = g.seniority_revision, seniority_index = g.seniority_index
        FROM found g
        WHERE u.grant_id = g.id AND u.state = 'Pending'
        """,
        Map.of(
            "ids", committed.stream().map(Committed::grantId).toList(),
            "beats", committed.stream().map(Committed::beat).toList()));
  }

  /**
   * Whether rows have the host under way in this batch now, made if they were missing. Where
   * another batch was proposed under its id before it was noticed that rows were lost, they have
   * not.
   */
  boolean adopt(LockRecord lock) {
    Optional<String> state =
        Sql.find(
            handle,
            String.class,
            """
            SELECT CASE WHEN g.hosts @> wanted.hosts AND g.hosts <@ wanted.hosts THEN g.state ELSE '' END
            FROM grants g, (SELECT CAST(:hosts AS text[]) AS hosts) wanted WHERE g.id = :id
            """,
            Map.of("id", lock.id(), "hosts", lock.hosts()));
    if (state.equals(Optional.of(""))) {
      return false;
    }
    if (state.isEmpty() && !insert(lock)) {
      return false;
    }
    if (state.filter(known -> !known.equals("proposed") && !known.equals("granted")).isPresent()) {
      return true; // It ended before: whoever ends holds of ended batches does so.
    }
    Sql.update(
        handle,
        """
        UPDATE grants SET state = 'granted', hold_revision = :token,
          seniority_revision = COALESCE(seniority_revision, :token),
          seniority_index = COALESCE(seniority_index, 0)
        WHERE id = :id
        """,
        Map.of("token", lock.token(), "id", lock.id()));
    return take(lock);
  }

  private boolean insert(LockRecord lock) {
    int inserted =
        Sql.update(
            handle,
            """
            INSERT INTO grants (id, rollout, hosts, state, stage, epoch, beat, hold_revision,
                                run, evidence)
            SELECT :id, r.id, :hosts, 'granted', 'open', :epoch, :beat, :token, 1, '{}'
            FROM rollouts r WHERE r.id = :rollout AND r.ended_at IS NULL
            """,
            Map.of(
                "id", lock.id(),
                "hosts", lock.hosts(),
                "epoch", lock.epoch(),
                "beat", lock.beat(),
                "token", lock.token(),
                "rollout", lock.rollout()));
    if (inserted == 1) {
      NewEvent.ofRollout(
              EventKind.BatchGranted,
              lock.rollout().orElseThrow(),
              Map.of("grant", lock.id(), "hosts", lock.hosts(), "hold", lock.token()))
          .append(handle);
    }
    return inserted == 1;
  }

  /** Also from an earlier batch, whose hold has ended since then. */
  private boolean take(LockRecord lock) {
    return Sql.update(
            handle,
            """
            UPDATE host_upgrades u
            SET state = 'InProgress', grant_id = g.id, reason = '', not_before = NULL,
                started_at = COALESCE(u.started_at, clock_timestamp()),
                seniority_revision = g.seniority_revision, seniority_index = g.seniority_index
            FROM grants g
            WHERE g.id = :id AND u.rollout = g.rollout AND u.host = :host
              AND u.state IN ('Pending', 'InProgress')
            """,
            Map.of("id", lock.id(), "host", lock.host()))
        == 1;
  }

  /**
   * Hosts that wait are read before anything else: who restored this store may have restored the
   * other as well, to a time before grants that neither of them knows any more.
   */
  void readFirst() {
    handle.execute(
        "UPDATE host_upgrades SET read_first = true WHERE state IN ('Pending', 'InProgress')");
  }

  /**
   * All batches under way; whatever works them now has nothing to say any more. None is sent back
   * by rows that are older than what was done.
   */
  void reclaim(Open recovery, long epoch, String why) {
    boolean blind = recovery.behind() == Store.POSTGRESQL;
    List<String> grants =
        Sql.texts(
            handle,
            """
            UPDATE grants SET epoch = :epoch, reclaim = COALESCE(reclaim, :why),
              blind = blind OR :blind, run = run + :runs, run_key = :key,
              undo = CASE WHEN NOT (blind OR :blind) THEN undo END,
              undo_reason = CASE WHEN NOT (blind OR :blind) THEN undo_reason END
            WHERE state = 'granted' RETURNING id
            """,
            Map.of(
                "epoch", epoch,
                "why", why,
                "blind", blind,
                "runs", blind ? RUNS_FORGOTTEN_MAX : 1,
                "key", "recovery " + recovery.id()));
    grants.forEach(grant -> Wakeups.add(handle, WorkflowIds.batch(grant), "recovery"));
  }

  /** Batches under way whose rows were copied before hooks were written have none. */
  void withoutHooks() {
    handle.execute("UPDATE grants SET hooked = false WHERE state = 'granted' AND hooked IS NULL");
  }

  List<Worked> worked() {
    return handle
        .createQuery(
            """
            SELECT u.grant_id, u.host FROM grants g JOIN host_upgrades u ON u.grant_id = g.id
            WHERE g.state = 'granted' AND u.state = 'InProgress' ORDER BY 1, 2
            """)
        .map((row, context) -> new Worked(row.getString(1), row.getString(2)))
        .list();
  }

  /** It was quarantined after the rows were copied. */
  void quarantined(Worked worked, String why) {
    BatchHosts.finish(handle, worked.grant(), worked.host(), "Quarantined", why);
    String rollout =
        Sql.one(
            handle,
            String.class,
            "SELECT rollout FROM grants WHERE id = :id",
            Map.of("id", worked.grant()));
    NewEvent.ofHost(
            EventKind.HostQuarantined,
            rollout,
            worked.host(),
            Map.of("grant", worked.grant(), "reason", why))
        .append(handle);
  }

  /**
   * Quarantines, and holds of hosts that restart, as the history and rows last told of them. A host
   * has one lock at a time: what was told of it last counts, whoever it was about.
   */
  List<Impound> keptByPeople() {
    return handle
        .createQuery(KEPT_BY_PEOPLE)
        .map(
            (row, context) ->
                new Impound(
                    row.getString("lock_id"),
                    row.getString("host"),
                    List.of((String[]) row.getArray("hosts").getArray()),
                    Kind.QUARANTINE,
                    Optional.ofNullable(row.getString("rollout")),
                    row.getString("holder"),
                    row.getString("reason"),
                    epoch(),
                    0))
        .list();
  }

  /** From here on hosts are read; their number does not change any more. */
  void joined(Open recovery, long epoch) {
    Sql.update(
        handle,
        "UPDATE recoveries SET epoch = :epoch, joined_at = clock_timestamp() WHERE id = :id",
        Map.of("epoch", epoch, "id", recovery.id()));
    Sql.update(
        handle,
        """
        INSERT INTO recovery_hosts (recovery, host, grant_id)
        SELECT :id, u.host, min(u.grant_id) FROM grants g JOIN host_upgrades u ON u.grant_id = g.id
        WHERE g.state = 'granted' AND u.state = 'InProgress' GROUP BY u.host
        """,
        Map.of("id", recovery.id()));
  }
}
