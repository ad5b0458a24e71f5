package dev.drydock.orchestrator.jobs;

import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.platform.store.Sql;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * A job as its row says, without its bulky columns.
 *
 * @param claim secret of the current claim, or of the one that ended it
 * @param overdue whether its deadline has passed by the database's clock. The time of a job counts
 *     while somebody has it; that of a hook goes on from its first claim
 * @param hook number of the hook in its batch, of a Hook or Unhook; else 0
 */
record JobRow(
    String id,
    String grant,
    String rollout,
    JobStep step,
    String host,
    int round,
    int run,
    String topic,
    JobState state,
    int attempt,
    Optional<String> claim,
    long claimMark,
    boolean overdue,
    int hook) {

  private static final String COLUMNS =
      """
      SELECT j.id, j.grant_id AS "grant", g.rollout, j.step, j.host, j.round, j.run, j.topic, j.state,
             j.attempt, j.claim, COALESCE(j.claim_mark, 0) AS claim_mark,
             j.deadline <= clock_timestamp() AND (j.state <> 'Pending' OR
      """
          + Deadlines.goesOnUnclaimed("j")
          + """
            ) AS overdue, COALESCE(j.hook, 0) AS hook
            FROM jobs j JOIN grants g ON g.id = j.grant_id
            """;

  /** Which rows to read, and how to wait for their locks. */
  enum Lock {
    NONE(""),
    WAIT(" FOR UPDATE OF j"),
    SKIP_LOCKED(" FOR UPDATE OF j SKIP LOCKED");

    private final String sql;

    Lock(String sql) {
      this.sql = sql;
    }
  }

  static Optional<JobRow> find(Handle handle, String id, Lock lock) {
    return Sql.find(
        handle, JobRow.class, COLUMNS + " WHERE j.id = :id" + lock.sql, Map.of("id", id));
  }

  /** Whether no attempt is possible any more. */
  boolean ended() {
    return state != JobState.Pending && state != JobState.Claimed;
  }
}
