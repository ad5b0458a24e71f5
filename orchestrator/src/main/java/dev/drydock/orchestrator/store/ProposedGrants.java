package dev.drydock.orchestrator.store;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Proposal;
import dev.drydock.lock.core.Seniority;
import dev.drydock.lock.core.Verdict;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Writes the row of a grant about to be committed (protocol P5). It only reserves its host
 * upgrades, by their {@code grant_id}.
 */
final class ProposedGrants {
  private ProposedGrants() {}

  /**
   * Writes the proposal, unless the candidate is not as it was offered any more.
   *
   * @param free what has to be true of each of its hosts
   */
  static Optional<Proposal> insert(
      Handle handle, Candidate candidate, Verdict verdict, String free) {
    List<String> hosts =
        handle
            .createQuery(
                """
                SELECT u.host FROM host_upgrades u JOIN rollouts r ON r.id = u.rollout
                WHERE u.rollout = :rollout AND u.host = ANY(:hosts) AND r.state = 'Running' AND
                """
                    + free
                    // Whoever pauses or aborts it waits, or is seen.
                    + "ORDER BY u.host FOR NO KEY UPDATE OF u FOR SHARE OF r")
            .bind("rollout", candidate.rollout())
            .bindArray("hosts", String.class, candidate.hosts())
            .mapTo(String.class)
            .list();
    if (hosts.size() != candidate.hosts().size() || !wholeBatch(handle, candidate)) {
      return Optional.empty();
    }
    Proposal proposal =
        handle
            .createQuery(
                """
                INSERT INTO grants (id, rollout, hosts, state, epoch, beat, evidence,
                                    seniority_revision, seniority_index)
                VALUES ('g' || nextval('grant_numbers'), :rollout, :hosts, 'proposed',
                        (SELECT epoch FROM store_beats),
                        nextval('beats'), CAST(:evidence AS jsonb), :revision, :index)
                RETURNING id, epoch, beat
                """)
            .bind("rollout", candidate.rollout())
            .bindArray("hosts", String.class, candidate.hosts())
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
              -- As an array it is looked up by index, whatever the statistics say.
              AND u.batch = ANY(ARRAY(SELECT DISTINCT b.batch FROM host_upgrades b
                                      WHERE b.rollout = :rollout AND b.host = ANY(:hosts)))
            """)
        .bind("size", candidate.hosts().size())
        .bind("rollout", candidate.rollout())
        .bindArray("hosts", String.class, candidate.hosts())
        .mapTo(Boolean.class)
        .one();
  }
}
