package dev.drydock.orchestrator.jobs;

import dev.drydock.api.EventKind;
import dev.drydock.api.JobState;
import dev.drydock.orchestrator.jobs.ClaimSilence.Claimed;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.store.RecoveryJobFilter;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.orchestrator.store.WorkflowIds;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.store.Sql;
import dev.drydock.proto.clock.BootClock;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * Takes jobs back from consumers that fell silent. A job whose lease and margin are over, by the
 * clock of the database and by what this process saw, goes to the next consumer, until its attempts
 * are used up or its time ended while a consumer had it; then it is expired, which says nothing
 * about the host. One that nobody ever claimed expires only before the drain, and its batch goes
 * back. What waits while a recovery keeps consumers from it has its time afterwards.
 */
final class ClaimExpiry {
  private static final int AT_ONCE = 100;
  private static final String CLAIM =
      "id, attempt, CAST(extract(epoch FROM lease_until) AS text) AS lease";

  /**
   * Of a job that nobody has: whether its time ends it. Before the drain one that nobody ever
   * claimed does, and its batch goes back. What comes after the drain waits, and so does what
   * repairs a host or brings one back, and what a consumer that fell silent may have begun. How
   * long a hook may take say policies.
   */
  private static final String ENDS =
      "("
          + Deadlines.goesOnUnclaimed("j")
          + """
         OR attempt = 0 AND NOT repairs AND (step IN ('Verify', 'Cordon', 'Drain')
           OR step = 'Hook' AND spec->'hook'->>'stage' = 'BeforeUndeploy'))
      """;

  private final BoardTimes times;
  private final ClaimSilence claimSilence;

  ClaimExpiry(BoardTimes times, BootClock clock) {
    this.times = times;
    this.claimSilence = new ClaimSilence(clock, times.lease().plus(times.margin()));
  }

  /** Ends or gives back what is due; answers how many rows changed. */
  int expire(Handle handle) {
    Map<String, Claimed> claims =
        handle
            .createQuery("SELECT " + CLAIM + " FROM jobs WHERE state = 'Claimed'")
            .map((row, context) -> Map.entry(row.getString("id"), claimed(row)))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    claimSilence.watch(claims);
    List<String> silent =
        claims.entrySet().stream()
            .filter(claim -> claimSilence.over(claim.getKey(), claim.getValue()))
            .map(Map.Entry::getKey)
            .toList();
    List<String> due =
        handle
            .createQuery(
                "SELECT state, "
                    + CLAIM
                    + """
                     FROM jobs j
                    WHERE (state = 'Claimed' AND id = ANY(:silent)
                           AND lease_until + make_interval(secs => :margin) < clock_timestamp())
                       OR (state = 'Pending' AND deadline < clock_timestamp() AND
                    """
                    + ENDS
                    + " AND NOT "
                    + RecoveryJobFilter.JOB
                    + ") ORDER BY id LIMIT :limit FOR UPDATE SKIP LOCKED")
            .bindArray("silent", String.class, silent)
            .bind("margin", times.margin().toMillis() / 1000.0)
            .bind("limit", AT_ONCE)
            .map((row, context) -> due(row) ? row.getString("id") : "")
            .filter(id -> !id.isEmpty())
            .list();
    for (String id : due) {
      end(handle, JobRow.find(handle, id, JobRow.Lock.WAIT).orElseThrow());
    }
    return due.size();
  }

  /** Asked again under the row's lock: a heartbeat may have come since the claims were read. */
  private boolean due(ResultSet row) throws SQLException {
    return row.getString("state").equals("Pending")
        || claimSilence.over(row.getString("id"), claimed(row));
  }

  private static Claimed claimed(ResultSet row) throws SQLException {
    return new Claimed(row.getInt("attempt"), String.valueOf(row.getString("lease")));
  }

  private void end(Handle handle, JobRow job) {
    boolean again =
        job.state() == JobState.Claimed
            && job.attempt() < times.attemptsMax()
            && (!job.overdue() || keptBack(handle, job));
    Sql.update(
        handle,
        """
        UPDATE jobs
        SET state = :state, claim = NULL, consumer = NULL, lease_until = NULL,
            ended_at = CASE WHEN :again THEN NULL ELSE clock_timestamp() END
        WHERE id = :id
        """,
        Map.of("state", again ? "Pending" : "Expired", "again", again, "id", job.id()));
    // A batch that goes back, or lost its run, has waited for its consumer to fall silent.
    if (!again || waitsForSilence(handle, job)) {
      Wakeups.add(handle, WorkflowIds.batch(job.grant()), job.id());
    }
    NewEvent.ofHost(
            again ? EventKind.JobClaimLost : EventKind.JobExpired,
            job.rollout(),
            job.host(),
            Map.of("job", job.id(), "attempt", job.attempt()))
        .append(handle);
  }

  private static boolean keptBack(Handle handle, JobRow job) {
    return Sql.yes(
        handle,
        "SELECT " + RecoveryJobFilter.JOB + " FROM jobs j WHERE id = :id",
        Map.of("id", job.id()));
  }

  private static boolean waitsForSilence(Handle handle, JobRow job) {
    return GrantRow.find(handle, job.grant())
        .filter(grant -> grant.undo().isPresent() || grant.reclaim().isPresent())
        .isPresent();
  }
}
