package dev.drydock.orchestrator.store;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Seniority;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/**
 * Which batches the grantor looks at in a pass: it cannot judge all of a large rollout in each.
 *
 * <ol>
 *   <li>All that have an age or a place in the queue: one that is not offered counts as blocked,
 *       and would be passed by those behind it (I3). They are few: places are bounded, and ages
 *       have batches that were granted before.
 *   <li>The first of the others, for half of the limit. Rollouts take turns, each by its hosts in
 *       flight and those it was offered before, so that a large one leaves room for a small one.
 *   <li>For the other half those that follow where the last pass ended, round and round: however
 *       many of the first cannot go, everybody is looked at within as many passes as it takes to go
 *       through all. They are gone through by the number of the batch, which does not change as
 *       others come and go, so that nobody is left out. Nobody is passed by that: who has neither
 *       age nor place was never looked at, or had no room in the queue.
 * </ol>
 *
 * <p>Who is offered is then put in order of priority. Where the last pass ended is remembered here
 * alone: the next grantor begins anew. Safe for use by many threads.
 */
public final class PendingBatches {
  /**
   * What is true of an upgrade {@code u} of a running rollout that waits for nothing of its own.
   */
  public static final String FREE =
      """
      u.state = 'Pending' AND u.grant_id IS NULL
      AND (u.not_before IS NULL OR u.not_before <= clock_timestamp()) AND u.waits_for = '{}'
      """;

  /** The same, of one whose preflight lets it be granted now. */
  static final String READY =
      FREE + " AND u.ready_until IS NOT NULL AND u.ready_until > clock_timestamp() ";

  /**
   * Its cost grows with the limits and the number of running rollouts, not with how many wait: it
   * goes from batch to batch by index, whatever the statistics of the tables say, and adds up no
   * more than what it may offer.
   */
  private static final String LOOK =
      """
      WITH running AS MATERIALIZED (
        SELECT r.id AS rollout, r.number, r.requester, r.reason,
               array_position(ARRAY['Low', 'Normal', 'High'], r.priority) AS priority,
               (SELECT count(*) FROM host_upgrades u
                WHERE u.rollout = r.id AND u.state = 'InProgress') AS in_flight
        FROM rollouts r WHERE r.state = 'Running'),
      aged AS (
        SELECT u.rollout, u.batch FROM host_upgrades u
        WHERE u.seniority_revision IS NOT NULL AND $FREE),
      -- No rollout has a dot in its id, and no host a plus in its name.
      queued AS MATERIALIZED (
        SELECT u.rollout, u.batch FROM unnest(CAST(:queued AS text[])) AS ticket
        JOIN host_upgrades u ON u.rollout = split_part(ticket, '.', 1)
          AND u.host = split_part(substr(ticket, strpos(ticket, '.') + 1), '+', 1)),
      -- Of each rollout the first ones, and the first ones after the last pass: so many that enough
      -- are left of both without those that have a place and those that are foremost. While all are
      -- among the first ones, they are gone through once.
      first AS (
        SELECT r.rollout, hop.batch FROM running r
        CROSS JOIN LATERAL (
          SELECT -1 AS before
          UNION ALL
          SELECT CASE WHEN r.number > :number THEN :batch - 1 ELSE :batch END WHERE :more) part
        CROSS JOIN LATERAL (
          WITH RECURSIVE hops AS (
            SELECT part.before AS batch, false AS free, 0 AS found
            UNION ALL
            SELECT next.batch, whole.free, found + CAST(whole.free AS int) FROM hops
            CROSS JOIN LATERAL (
              SELECT u.batch FROM host_upgrades u
              WHERE u.rollout = r.rollout AND u.batch > hops.batch
                AND u.seniority_revision IS NULL AND $FREE
              ORDER BY u.batch LIMIT 1) next
            CROSS JOIN LATERAL (
              SELECT bool_and(u.seniority_revision IS NULL AND $FREE) AS free
              FROM host_upgrades u WHERE u.rollout = r.rollout AND u.batch = next.batch
                AND u.state IN ('Pending', 'InProgress')) whole
            WHERE found < :foremost + :following + (SELECT count(*) FROM queued))
          SELECT batch FROM hops WHERE free) hop),
      looked_at AS (TABLE aged UNION TABLE queued UNION TABLE first),
      free AS (
        SELECT r.*, b.*, t.ticket, (b.batch, r.number) <= (:batch, :number) AS past,
               b.seniority_revision IS NOT NULL
                 OR t.ticket IN (SELECT unnest(CAST(:queued AS text[]))) AS placed,
               r.in_flight + sum(cardinality(b.hosts)) OVER (
                 PARTITION BY r.rollout, b.seniority_revision IS NULL ORDER BY b.batch) AS share
        FROM looked_at l JOIN running r ON r.rollout = l.rollout
        CROSS JOIN LATERAL (
          SELECT l.batch, array_agg(u.host ORDER BY u.position) AS hosts,
                 min(u.seniority_revision) AS seniority_revision,
                 min(u.seniority_index) AS seniority_index
          FROM host_upgrades u WHERE u.rollout = l.rollout AND u.batch = l.batch
            AND u.state IN ('Pending', 'InProgress')
          HAVING bool_and($FREE)) b
        -- What is left of a batch is another request: a ticket stands for the hosts it names.
        CROSS JOIN LATERAL (
          SELECT r.rollout || '.' || b.hosts[1] || CASE cardinality(b.hosts)
                   WHEN 1 THEN '' ELSE '+' || cardinality(b.hosts) - 1 END AS ticket) t),
      ranked AS (
        SELECT free.*, placed OR row_number() OVER (
          PARTITION BY placed ORDER BY share, number, batch) <= :foremost AS sure
        FROM free),
      turns AS (
        SELECT ranked.*, CASE WHEN sure THEN 0 ELSE row_number() OVER (
          PARTITION BY sure ORDER BY past, batch, number) END AS turn
        FROM ranked)
      SELECT turns.*, in_flight + sum(cardinality(hosts)) OVER (
               PARTITION BY rollout, seniority_revision IS NULL ORDER BY batch) AS offered
      FROM turns WHERE turn <= :following
      ORDER BY seniority_revision NULLS LAST, seniority_index, priority DESC, offered, number, batch
      """;

  /** Offers what is {@link #FREE}. */
  static final String OFFERED = LOOK.replace("$FREE", FREE);

  /** Offers what is {@link #READY}. */
  static final String OFFERED_READY = LOOK.replace("$FREE", READY);

  private final Jdbi jdbi;
  private final String sql;
  private volatile Place last = new Place(-1, 0);

  /** Whether there may be more batches than are offered: the last answer was full. */
  private volatile boolean more = true;

  private PendingBatches(Jdbi jdbi, String sql) {
    this.jdbi = jdbi;
    this.sql = sql;
  }

  /** Of all hosts that wait for nothing of their own. */
  public static PendingBatches ofAll(Jdbi jdbi) {
    return new PendingBatches(jdbi, OFFERED);
  }

  /** Of those that passed their preflights. */
  static PendingBatches ofReady(Jdbi jdbi) {
    return new PendingBatches(jdbi, OFFERED_READY);
  }

  /** A batch among those of all rollouts, each known by its number. */
  public record Place(int batch, long rollout) {}

  /** What is offered; {@code turn} counts those that follow the last pass, and is 0 for others. */
  public record Offer(Candidate candidate, Place place, long turn) {
    /** Whether it has its turn as one of those that follow the last pass. */
    public boolean inTurn() {
      return turn > 0;
    }
  }

  /** See {@link dev.drydock.lock.core.Candidates#pending}. */
  List<Candidate> offered(Collection<String> queued, int limit) {
    int following = limit / 2;
    List<Offer> offers = look(queued, limit - following, following);
    offers.stream().max(Comparator.comparing(Offer::turn)).ifPresent(this::seen);
    return offers.stream().map(Offer::candidate).toList();
  }

  /**
   * The same, where the caller says how far the pass came ({@link #seen}).
   *
   * @param foremost how many of the first ones
   * @param following how many of those that follow the last pass
   */
  public List<Offer> look(Collection<String> queued, int foremost, int following) {
    Place from = last;
    List<Offer> offers =
        jdbi.withHandle(
            handle ->
                handle
                    .createQuery(sql)
                    .bindArray("queued", String.class, queued)
                    .bind("foremost", foremost)
                    .bind("following", following)
                    .bind("batch", from.batch())
                    .bind("number", from.rollout())
                    .bind("more", more)
                    .map((row, _) -> offer(row))
                    .list());
    more = offers.size() >= foremost + following;
    return offers;
  }

  /** The next pass follows this one, if it had its turn. */
  public void seen(Offer offer) {
    if (offer.inTurn()) {
      last = offer.place();
    }
  }

  private static Offer offer(ResultSet row) throws SQLException {
    Candidate candidate =
        new Candidate(
            row.getString("ticket"),
            row.getString("rollout"),
            List.of((String[]) row.getArray("hosts").getArray()),
            row.getString("requester"),
            row.getString("reason"),
            seniority(row));
    return new Offer(
        candidate, new Place(row.getInt("batch"), row.getLong("number")), row.getLong("turn"));
  }

  private static Optional<Seniority> seniority(ResultSet row) throws SQLException {
    long revision = row.getLong("seniority_revision");
    return row.wasNull()
        ? Optional.empty()
        : Optional.of(new Seniority(revision, row.getInt("seniority_index")));
  }
}
