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
final class PendingBatches {
  /** What is true of an upgrade {@code u} of a running rollout that may be taken now. */
  static final String FREE =
      """
      u.state = 'Pending' AND u.grant_id IS NULL
      AND (u.not_before IS NULL OR u.not_before <= clock_timestamp()) AND u.waits_for = '{}'
      """;

  private static final String OFFERED =
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
      free AS (
        SELECT b.*, t.ticket,
               b.seniority_revision IS NOT NULL
                 OR t.ticket IN (SELECT unnest(CAST(:queued AS text[]))) AS placed,
               COALESCE(f.hosts, 0) + sum(cardinality(b.hosts)) OVER (
                 PARTITION BY b.rollout, b.seniority_revision IS NULL ORDER BY b.batch) AS share
        FROM batches b LEFT JOIN in_flight f ON f.rollout = b.rollout
        -- What is left of a batch is another request: a ticket stands for the hosts it names.
        CROSS JOIN LATERAL (
          SELECT b.rollout || '.' || b.hosts[1] || CASE cardinality(b.hosts)
                   WHEN 1 THEN '' ELSE '+' || cardinality(b.hosts) - 1 END AS ticket) t),
      foremost AS (
        SELECT rollout, batch FROM free WHERE NOT placed
        ORDER BY share, number, batch LIMIT :foremost),
      following AS (
        SELECT rollout, batch, row_number() OVER (ORDER BY past, batch, number) AS turn FROM (
          SELECT rollout, batch, number, (batch, number) <= (:batch, :number) AS past
          FROM free
          WHERE NOT placed AND (rollout, batch) NOT IN (SELECT rollout, batch FROM foremost)
          ORDER BY past, batch, number LIMIT :following) f)
      SELECT free.*, COALESCE(following.turn, 0) AS turn FROM free
      LEFT JOIN foremost USING (rollout, batch) LEFT JOIN following USING (rollout, batch)
      WHERE placed OR foremost.rollout IS NOT NULL OR following.rollout IS NOT NULL
      ORDER BY seniority_revision NULLS LAST, seniority_index, priority DESC, share, number, batch
      """;

  private final Jdbi jdbi;
  private volatile Place last = new Place(-1, 0);

  PendingBatches(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** A batch among those of all rollouts, each known by its number. */
  private record Place(int batch, long rollout) {}

  /** What is offered; {@code turn} counts those that follow the last pass, and is 0 for others. */
  private record Offer(Candidate candidate, Place place, long turn) {}

  /** See {@link dev.drydock.lock.core.Candidates#pending}. */
  List<Candidate> offered(Collection<String> queued, int limit) {
    int following = limit / 2;
    Place from = last;
    List<Offer> offers =
        jdbi.withHandle(
            handle ->
                handle
                    .createQuery(OFFERED)
                    .bindArray("queued", String.class, queued)
                    .bind("foremost", limit - following)
                    .bind("following", following)
                    .bind("batch", from.batch())
                    .bind("number", from.rollout())
                    .map((row, _) -> offer(row))
                    .list());
    offers.stream()
        .filter(offer -> offer.turn() > 0)
        .max(Comparator.comparing(Offer::turn))
        .ifPresent(offer -> last = offer.place());
    return offers.stream().map(Offer::candidate).toList();
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
