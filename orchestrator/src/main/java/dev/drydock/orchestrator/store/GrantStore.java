package dev.drydock.orchestrator.store;

import dev.drydock.api.EventKind;
import dev.drydock.lock.core.Holds.Proposed;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.store.Sql;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;

/**
 * Grants that somebody should look after. Safe for use by many threads; times are the database's.
 */
public final class GrantStore {
  private static final int AT_ONCE = 500;

  private final Jdbi jdbi;
  private final Transactor transactor;

  public GrantStore(Jdbi jdbi) {
    this.jdbi = jdbi;
    this.transactor = new Transactor(jdbi);
  }

  /** Proposed so long ago that their grantor may have died between its two stores. */
  public List<Proposed> stuckProposals() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT id, hosts, beat FROM grants
                    WHERE state = 'proposed' AND created_at < clock_timestamp() - interval '15 s'
                    ORDER BY created_at LIMIT :limit
                    """)
                .bind("limit", AT_ONCE)
                .map(
                    (row, _) ->
                        new Proposed(
                            row.getString("id"),
                            List.of((String[]) row.getArray("hosts").getArray()),
                            row.getLong("beat")))
                .list());
  }

  /**
   * A grant that should have a workflow that runs.
   *
   * @param run number of its last run, 0 before the first
   */
  public record Alive(String id, int run) {}

  /**
   * So many of the granted and not ended as are looked at in a round, by id, after this one. Most
   * batches are over before anybody has to ask whether they are lost.
   */
  public List<Alive> alive(String after) {
    return Sql.list(
        jdbi,
        Alive.class,
        """
        SELECT id, run FROM grants WHERE state = 'granted' AND id > :after
          AND created_at < clock_timestamp() - interval '5 s'
        ORDER BY id LIMIT :limit
        """,
        Map.of("after", after, "limit", AT_ONCE));
  }

  /**
   * Nobody leads the batch forward any more: the runs that follow the lost one read its hosts and
   * bring them back.
   *
   * @param lost number of the run, as it was before it was asked for
   * @return whether the batch has to be reclaimed; not when it ended, or another run began
   */
  public boolean reclaim(String grantId, int lost, String why) {
    return transactor.call(
        handle -> {
          GrantRow grant = GrantRow.lock(handle, grantId);
          if (!grant.alive() || grant.run() != lost) {
            return false;
          }
          if (grant.reclaim().isEmpty()) {
            Sql.update(
                handle,
                "UPDATE grants SET reclaim = :why WHERE id = :id",
                Map.of("why", why, "id", grantId));
          }
          NewEvent.ofRollout(
                  EventKind.BatchReclaimed,
                  grant.rollout(),
                  Map.of("grant", grantId, "run", lost, "reason", why))
              .append(handle);
          return true;
        });
  }

  /** Ended, but not known to be without a hold. */
  public List<String> endedWithHold() {
    return ids(
        "state = 'ended' AND hold_ended_at IS NULL"
            + " AND ended_at < clock_timestamp() - interval '5 s'");
  }

  private List<String> ids(String condition) {
    return Sql.texts(
        jdbi,
        "SELECT id FROM grants WHERE " + condition + " ORDER BY created_at LIMIT :limit",
        Map.of("limit", AT_ONCE));
  }
}
