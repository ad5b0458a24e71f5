package dev.drydock.orchestrator.store;

import dev.drydock.api.EventKind;
import dev.drydock.lock.core.Candidates;
import dev.drydock.lock.core.Seniority;
import dev.drydock.lock.core.Verdict;
import dev.drydock.platform.events.Event;
import dev.drydock.proto.crash.CrashPoint;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * The rollouts' side of granting in PostgreSQL (protocol P5). A proposed grant only reserves its
 * host upgrades, by their {@code grant_id}; they are in progress, and have the age of their first
 * turn, once the hold is known to stand, so that a void grant leaves them as they were. Safe for
 * use by many threads.
 */
public final class CandidateStore implements Candidates {
  /** Part of every fencing token; only a restore of a store raises it. */
  public static final long EPOCH = 1;

  /** What is true of an upgrade {@code u} of a running rollout that may be taken now. */
  private static final String FREE =
      """
      u.state = 'Pending' AND u.grant_id IS NULL
      AND (u.not_before IS NULL OR u.not_before <= clock_timestamp()) AND u.waits_for = '{}'
      """;

  private static final String PENDING =
      """
      WITH batches AS (
        SELECT u.rollout, u.batch, r.requester, r.reason, r.number,
               array_position(ARRAY['Low', 'Normal', 'High'], r.priority) AS priority,
               array_agg(u.host ORDER BY u.position) AS hosts,
               min(u.seniority_revision) AS seniority_revision,
               min(u.seniority_index) AS seniority_index
        FROM host_upgrades u JOIN rollouts r ON r.id = u.rollout
        WHERE u.state IN ('Pending', 'InProgress') AND r.state = 'Running'
        GROUP BY u.rollout, r.number, r.requester, r.reason, r.priority, u.batch
        HAVING bool_and(
      """
          + FREE
          + """
        )),
      in_flight AS (
        SELECT rollout, count(*) AS hosts FROM host_upgrades WHERE state = 'InProgress'
        GROUP BY rollout),
      offered AS (
        SELECT b.*, COALESCE(f.hosts, 0) + sum(cardinality(b.hosts)) OVER (
                 PARTITION BY b.rollout, b.seniority_revision IS NULL ORDER BY b.batch) AS share
        FROM batches b LEFT JOIN in_flight f ON f.rollout = b.rollout
        ORDER BY b.seniority_revision NULLS LAST, b.seniority_index, share, b.number, b.batch
        LIMIT :limit)
      SELECT * FROM offered
      ORDER BY seniority_revision NULLS LAST, seniority_index, priority DESC, share, number, batch
      """;

  private final Jdbi jdbi;
  private final Transactor transactor;
  private final CheckStore checks;
  private final Consumer<String> granted;

  /**
   * The store.
   *
   * @param zones asked when a check would be passed
   * @param granted called after a grant was recorded, to start its batch; may be called again, must
   *     not fail
   */
  public CandidateStore(Jdbi jdbi, Zones zones, Consumer<String> granted) {
    this.jdbi = jdbi;
    this.transactor = new Transactor(jdbi);
    this.checks = new CheckStore(jdbi, zones);
    this.granted = granted;
  }

  /**
   * A batch some of whose hosts are under way, back off or wait for canaries waits until all the
   * others can go. Rollouts take turns, each by its hosts in flight and those it was offered
   * before, so that a large one leaves room for a small one; who is offered is then put in order of
   * priority, so that many that cannot go now keep nobody else from being looked at.
   */
  @Override
  public List<Candidate> pending(int limit) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(PENDING)
                .bind("limit", limit)
                .map((row, context) -> candidate(row))
                .list());
  }

  private static Candidate candidate(ResultSet row) throws SQLException {
    String rollout = row.getString("rollout");
    List<String> hosts = List.of((String[]) row.getArray("hosts").getArray());
    return new Candidate(
        ticketId(rollout, hosts),
        rollout,
        hosts,
        row.getString("requester"),
        row.getString("reason"),
        seniority(row));
  }

  /** What is left of a batch is another request: a ticket stands for the hosts it names. */
  private static String ticketId(String rollout, List<String> hosts) {
    String others = hosts.size() == 1 ? "" : "+" + (hosts.size() - 1);
    return rollout + "." + hosts.getFirst() + others;
  }

  @Override
  public boolean idle() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT NOT EXISTS (SELECT FROM rollouts WHERE state = 'Running')")
                .mapTo(Boolean.class)
                .one());
  }

  private static Optional<Seniority> seniority(ResultSet row) throws SQLException {
    long revision = row.getLong("seniority_revision");
    return row.wasNull()
        ? Optional.empty()
        : Optional.of(new Seniority(revision, row.getInt("seniority_index")));
  }

  @Override
  public Optional<Proposal> propose(Candidate candidate, Verdict verdict) {
    Optional<Proposal> proposal = transactor.call(handle -> insert(handle, candidate, verdict));
    if (proposal.isPresent()) {
      CrashPoint.reach("after-grant-proposed");
    }
    return proposal;
  }

  private static Optional<Proposal> insert(Handle handle, Candidate candidate, Verdict verdict) {
    List<String> free =
        handle
            .createQuery(
                """
                SELECT u.host FROM host_upgrades u JOIN rollouts r ON r.id = u.rollout
                WHERE u.rollout = :rollout AND u.host = ANY(:hosts) AND r.state = 'Running' AND
                """
                    + FREE
                    + "ORDER BY u.host FOR NO KEY UPDATE OF u")
            .bind("rollout", candidate.rollout())
            .bindArray("hosts", String.class, candidate.hosts())
            .mapTo(String.class)
            .list();
    if (free.size() != candidate.hosts().size() || !wholeBatch(handle, candidate)) {
      return Optional.empty();
    }
    Proposal proposal =
        handle
            .createQuery(
                """
                INSERT INTO grants (id, rollout, hosts, state, epoch, beat, evidence,
                                    seniority_revision, seniority_index)
                VALUES ('g' || nextval('grant_numbers'), :rollout, :hosts, 'proposed', :epoch,
                        nextval('beats'), CAST(:evidence AS jsonb), :revision, :index)
                RETURNING id, epoch, beat
                """)
            .bind("rollout", candidate.rollout())
            .bindArray("hosts", String.class, candidate.hosts())
            .bind("epoch", EPOCH)
            .bind("evidence", Evidence.json(verdict))
            .bind("revision", candidate.seniority().map(Seniority::revision))
            .bind("index", candidate.seniority().map(Seniority::index))
            .map(
                (row, context) ->
                    new Proposal(row.getString("id"), row.getLong("epoch"), row.getLong("beat")))
            .one();
    handle
        .createUpdate(
            """
            UPDATE host_upgrades SET grant_id = :grant
            WHERE rollout = :rollout AND host = ANY(:hosts)
            """)
        .bind("grant", proposal.grantId())
        .bind("rollout", candidate.rollout())
        .bindArray("hosts", String.class, candidate.hosts())
        .execute();
    return Optional.of(proposal);
  }

  /** Batches may have been made anew since the candidate was read. */
  private static boolean wholeBatch(Handle handle, Candidate candidate) {
    return handle
        .createQuery(
            """
            SELECT count(DISTINCT u.batch) = 1 AND count(*) = :size FROM host_upgrades u
            WHERE u.rollout = :rollout AND u.state IN ('Pending', 'InProgress')
              AND u.batch IN (SELECT b.batch FROM host_upgrades b
                              WHERE b.rollout = :rollout AND b.host = ANY(:hosts))
            """)
        .bind("size", candidate.hosts().size())
        .bind("rollout", candidate.rollout())
        .bindArray("hosts", String.class, candidate.hosts())
        .mapTo(Boolean.class)
        .one();
  }

  @Override
  public void committed(String grantId, long revision) {
    boolean alive = transactor.call(handle -> recordCommitted(handle, grantId, revision));
    CrashPoint.reach("after-grant-recorded");
    if (alive) {
      granted.accept(grantId);
    }
  }

  /** Answers whether the grant is alive now: one that has ended starts nothing. */
  private static boolean recordCommitted(Handle handle, String grantId, long revision) {
    GrantRow grant = GrantRow.lock(handle, grantId);
    if (grant.state().equals("void")) {
      throw new IllegalStateException(
          "grant " + grantId + " is void here but committed in etcd: stop and compare both stores");
    }
    if (!grant.state().equals("proposed")) {
      return grant.alive();
    }
    handle
        .createUpdate(
            """
            UPDATE grants
            SET state = 'granted', hold_revision = :revision,
                seniority_revision = COALESCE(seniority_revision, :revision),
                seniority_index = COALESCE(seniority_index, 0)
            WHERE id = :id
            """)
        .bind("revision", revision)
        .bind("id", grantId)
        .execute();
    handle
        .createUpdate(
            """
            UPDATE host_upgrades u
            SET state = 'InProgress', reason = '', step = NULL, not_before = NULL,
                started_at = COALESCE(started_at, clock_timestamp()),
                seniority_revision = g.seniority_revision, seniority_index = g.seniority_index
            FROM grants g WHERE g.id = :id AND u.grant_id = g.id AND u.state = 'Pending'
            """)
        .bind("id", grantId)
        .execute();
    Event.ofRollout(
            EventKind.BatchGranted,
            grant.rollout(),
            Map.of("grant", grantId, "hosts", grant.hosts(), "hold", revision))
        .append(handle);
    return true;
  }

  @Override
  public void voided(String grantId, String reason) {
    transactor.call(handle -> recordVoid(handle, grantId, reason));
  }

  private static boolean recordVoid(Handle handle, String grantId, String reason) {
    GrantRow grant = GrantRow.lock(handle, grantId);
    if (grant.state().equals("void")) {
      return false;
    }
    if (!grant.state().equals("proposed")) {
      throw new IllegalStateException(
          "grant "
              + grantId
              + " is "
              + grant.state()
              + " here but void in etcd: compare both stores");
    }
    handle
        .createUpdate(
            "UPDATE grants SET state = 'void', ended_at = clock_timestamp() WHERE id = :id")
        .bind("id", grantId)
        .execute();
    handle
        .createUpdate(
            """
            UPDATE host_upgrades SET grant_id = NULL, reason = :reason
            WHERE grant_id = :id AND state = 'Pending'
            """)
        .bind("id", grantId)
        .bind("reason", reason)
        .execute();
    Event.ofRollout(
            EventKind.BatchVoided, grant.rollout(), Map.of("grant", grantId, "reason", reason))
        .append(handle);
    return true;
  }

  @Override
  public void waiting(Candidate candidate, String reason) {
    jdbi.useHandle(
        handle ->
            handle
                .createUpdate(
                    """
                    UPDATE host_upgrades SET reason = :reason
                    WHERE rollout = :rollout AND host = ANY(:hosts) AND state = 'Pending'
                      AND grant_id IS NULL AND reason <> :reason
                    """)
                .bind("reason", reason)
                .bind("rollout", candidate.rollout())
                .bindArray("hosts", String.class, candidate.hosts())
                .execute());
  }

  @Override
  public List<Check> checks() {
    return checks.requested();
  }

  @Override
  public void checked(Check check, Verdict verdict) {
    checks.decided(check, verdict);
    CrashPoint.reach("after-check-decided");
  }
}
