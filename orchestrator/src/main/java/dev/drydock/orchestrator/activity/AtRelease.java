package dev.drydock.orchestrator.activity;

import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.jobs.JobRow;
import dev.drydock.orchestrator.store.GrantRow;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Which hosts of a batch are on its release already. What the inventory says of them only makes it
 * worth asking; what counts is a Verify of this batch, which read the host while it held it.
 */
final class AtRelease {
  private AtRelease() {}

  /** Hosts to read before anything else is done to them, those read before included. */
  static List<String> toRead(Handle handle, GrantRow grant) {
    return handle
        .createQuery(
            """
            SELECT u.host
            FROM host_upgrades u
            JOIN rollouts r ON r.id = u.rollout
            JOIN hosts h ON h.name = u.host
            LEFT JOIN jobs j ON j.grant_id = u.grant_id AND j.host = u.host
            WHERE u.grant_id = :grant AND u.state = 'InProgress'
            GROUP BY u.host
            HAVING bool_or(j.step = 'Verify') OR (count(j.id) = 0 AND bool_or(h.release = r.release OR u.read_first))
            ORDER BY u.host
            """)
        .bind("grant", grant.id())
        .mapTo(String.class)
        .list();
  }

  /** The Verify that found the host on the release. */
  static Optional<JobRow> verified(Handle handle, String grant, String host) {
    return JobRow.last(handle, grant, JobStep.Verify, host)
        .filter(job -> job.state() == JobState.Done);
  }

  /** Hosts of the batch with something to be done. */
  static List<String> others(Handle handle, String grant) {
    return handle
        .createQuery(
            """
            SELECT u.host FROM host_upgrades u
            LEFT JOIN LATERAL (SELECT j.state FROM jobs j
                               WHERE j.grant_id = u.grant_id AND j.step = 'Verify' AND j.host = u.host
                               ORDER BY j.round DESC LIMIT 1) verify ON true
            WHERE u.grant_id = :grant AND u.state = 'InProgress' AND verify.state IS DISTINCT FROM 'Done'
            ORDER BY u.host
            """)
        .bind("grant", grant)
        .mapTo(String.class)
        .list();
  }
}
