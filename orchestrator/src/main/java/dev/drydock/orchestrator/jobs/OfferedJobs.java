package dev.drydock.orchestrator.jobs;

import dev.drydock.api.Job;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.store.RecoveryJobFilter;
import dev.drydock.platform.store.Columns;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.Page;
import dev.drydock.platform.store.PageRequest;
import java.util.Collection;
import org.jdbi.v3.core.Jdbi;

/** What consumers could claim now: jobs of batches, questions to controllers, preflights. */
final class OfferedJobs {
  /**
   * A Drain whose open check is no grant is not offered, nor what leads on a batch that goes back;
   * in recovery mode only what reads hosts is, once both stores were joined.
   */
  private static final String OFFERED =
      """
      (SELECT j.id, j.topic, j.step, 'Pending' AS state, j.attempt, j.spec, j.created_at
       FROM jobs j JOIN grants g ON g.id = j.grant_id
       WHERE j.state = 'Pending' AND g.state = 'granted' AND g.run = j.run
         AND NOT ((g.abort OR g.undo IS NOT NULL) AND j.step = ANY(:forward))
         AND NOT
      """
          + RecoveryJobFilter.JOB
          + """
         AND (j.deadline > clock_timestamp() OR NOT
      """
          + Deadlines.goesOnUnclaimed("j")
          + """
         )
         AND (j.not_before IS NULL OR j.not_before <= clock_timestamp())
         AND (j.step <> 'Drain' OR 'Grant' = (
               SELECT c.state FROM checks c
               WHERE c.grant_id = g.id AND c.kind = 'open'
               ORDER BY c.round DESC LIMIT 1))
       UNION ALL
       SELECT a.id, a.topic, 'Approve', 'Pending', a.attempt, a.spec, a.created_at FROM approvals a
       WHERE (a.state = 'Pending' OR (a.state = 'Claimed' AND a.lease_until < clock_timestamp()))
         AND a.deadline > clock_timestamp()
         AND NOT EXISTS (SELECT FROM recoveries WHERE ended_at IS NULL)
       UNION ALL
       SELECT p.id, p.topic, 'Preflight', 'Pending', p.attempt, p.spec, p.created_at FROM preflights p
       WHERE (p.state = 'Pending' OR (p.state = 'Claimed' AND p.lease_until < clock_timestamp()))
         AND (p.deadline IS NULL OR p.deadline > clock_timestamp()) AND
      """
          + WantedPreflights.CONDITION
          + ") o";

  private static final Columns<Job> JOBS =
      Columns.of(Job.class, OFFERED)
          .field("state", "o.state")
          .field("attempt", "o.attempt")
          .rest("o.spec")
          .complete();

  private OfferedJobs() {}

  /** See {@link JobBoard#claimable}. */
  static Page<Job> page(
      Jdbi jdbi,
      Collection<String> topics,
      Collection<JobStep> steps,
      PageRequest pageRequest,
      FieldMask fieldMask) {
    return JOBS.select(fieldMask)
        .where("o.topic = ANY(:topics) AND o.step = ANY(:steps)")
        .bind("steps", steps.stream().map(JobStep::name).toArray(String[]::new))
        .orderBy("o.step = 'Preflight', o.created_at, o.id")
        .bind("topics", topics.toArray(String[]::new))
        .bind("forward", ForwardSteps.names().toArray(String[]::new))
        .page(jdbi, pageRequest);
  }
}
