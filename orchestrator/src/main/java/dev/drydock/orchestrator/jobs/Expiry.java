package dev.drydock.orchestrator.jobs;

import dev.drydock.api.JobState;
import dev.drydock.orchestrator.events.Event;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.orchestrator.store.WorkflowIds;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Takes jobs back from consumers that fell silent. A job whose lease and margin are over goes to
 * the next consumer, until its attempts or its time are used up; then it is expired, which says
 * nothing about the host.
 */
final class Expiry {
  private static final int AT_ONCE = 100;

  private final BoardTimes times;

  Expiry(BoardTimes times) {
    this.times = times;
  }

  /** Ends or gives back what is due; answers how many rows changed. */
  int expire(Handle handle) {
    List<String> due =
        handle
            .createQuery(
                """
                SELECT id FROM jobs
                WHERE (state = 'Claimed'
                       AND lease_until + make_interval(secs => :margin) < clock_timestamp())
                   OR (state = 'Pending' AND deadline < clock_timestamp())
                ORDER BY id LIMIT :limit FOR UPDATE SKIP LOCKED
                """)
            .bind("margin", times.margin().toMillis() / 1000.0)
            .bind("limit", AT_ONCE)
            .mapTo(String.class)
            .list();
    for (String id : due) {
      end(handle, JobRow.find(handle, id, JobRow.Lock.WAIT).orElseThrow());
    }
    return due.size();
  }

  private void end(Handle handle, JobRow job) {
    boolean again =
        job.state() == JobState.Claimed && !job.overdue() && job.attempt() < times.attemptsMax();
    handle
        .createUpdate(
            """
            UPDATE jobs
            SET state = :state, claim = NULL, consumer = NULL, lease_until = NULL,
                ended_at = CASE WHEN :again THEN NULL ELSE clock_timestamp() END
            WHERE id = :id
            """)
        .bind("state", again ? "Pending" : "Expired")
        .bind("again", again)
        .bind("id", job.id())
        .execute();
    if (!again) {
      Wakeups.add(handle, WorkflowIds.batch(job.grant()), job.id());
    }
    Event.ofHost(
            again ? "JobClaimLost" : "JobExpired",
            job.rollout(),
            job.host(),
            Map.of("job", job.id(), "attempt", job.attempt()))
        .append(handle);
  }
}
