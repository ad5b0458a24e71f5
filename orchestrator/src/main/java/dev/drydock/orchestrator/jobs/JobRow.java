package dev.drydock.orchestrator.jobs;

import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * A job as its row says, without its bulky columns.
 *
 * @param claim secret of the current claim, or of the one that ended it
 * @param overdue whether its deadline has passed by the database's clock
 * @param message what its consumer, or the board about its result, said at the end; empty without a
 *     result
 * @param hook number of the hook in its batch, of a Hook or Unhook; else 0
 * @param held whether the board objected to its result, but may not the next time
 */
public record JobRow(
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
    String message,
    int hook,
    boolean held) {

  private static final String COLUMNS =
      """
      SELECT j.id, j.grant_id, g.rollout, j.step, j.host, j.round, j.run, j.topic, j.state, j.attempt,
             j.claim, COALESCE(j.claim_mark, 0) AS claim_mark,
             j.deadline <= clock_timestamp() AS overdue,
             COALESCE(j.result->'objection'->>'reason', j.result->>'message', '') AS message,
             COALESCE(j.hook, 0) AS hook,
             COALESCE(CAST(j.result->'objection'->>'hold' AS boolean), false) AS held
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
    return handle
        .createQuery(COLUMNS + " WHERE j.id = :id" + lock.sql)
        .bind("id", id)
        .map((row, context) -> of(row))
        .findOne();
  }

  /** The last round of a step on a host, if it was ever published. */
  public static Optional<JobRow> last(Handle handle, String grant, JobStep step, String host) {
    return handle
        .createQuery(
            COLUMNS
                + """
                 WHERE j.grant_id = :grant AND j.step = :step AND j.host = :host
                ORDER BY j.round DESC LIMIT 1
                """)
        .bind("grant", grant)
        .bind("step", step.name())
        .bind("host", host)
        .map((row, context) -> of(row))
        .findOne();
  }

  /** The last round of a step on every host it was published for, by host. */
  public static Map<String, JobRow> lasts(Handle handle, String grant, JobStep step) {
    return handle
        .createQuery(
            "SELECT DISTINCT ON (host) * FROM ("
                + COLUMNS
                + " WHERE j.grant_id = :grant AND j.step = :step) j ORDER BY host, round DESC")
        .bind("grant", grant)
        .bind("step", step.name())
        .map((row, context) -> of(row))
        .collect(Collectors.toMap(JobRow::host, job -> job));
  }

  /** The last round of a hook in its batch, by the number of the hook. */
  public static Optional<JobRow> lastOfHook(Handle handle, String grant, JobStep step, int hook) {
    return handle
        .createQuery(
            COLUMNS
                + """
                 WHERE j.grant_id = :grant AND j.hook = :hook AND j.step = :step
                ORDER BY j.round DESC LIMIT 1
                """)
        .bind("grant", grant)
        .bind("step", step.name())
        .bind("hook", hook)
        .map((row, context) -> of(row))
        .findOne();
  }

  /** The last round of every hook that was published so, by the number of the hook. */
  public static Map<Integer, JobRow> lastOfHooks(Handle handle, String grant, JobStep step) {
    return handle
        .createQuery(
            "SELECT DISTINCT ON (hook) * FROM ("
                + COLUMNS
                + " WHERE j.grant_id = :grant AND j.hook IS NOT NULL AND j.step = :step) j"
                + " ORDER BY hook, round DESC")
        .bind("grant", grant)
        .bind("step", step.name())
        .map((row, context) -> of(row))
        .collect(Collectors.toMap(JobRow::hook, job -> job));
  }

  /** The job, if no later round of its step is there. */
  public static Optional<JobRow> ifLast(Handle handle, String id) {
    return find(handle, id, Lock.NONE)
        .filter(
            job ->
                last(handle, job.grant(), job.step(), job.host())
                    .filter(last -> last.id().equals(id))
                    .isPresent());
  }

  /**
   * The last round that anybody was given or may still be: what a later one that was cancelled
   * untouched says nothing of. The last round if nobody ever was.
   */
  public static Optional<JobRow> lastGiven(Handle handle, String grant, JobStep step, String host) {
    return handle
        .createQuery(
            COLUMNS
                + """
                 WHERE j.grant_id = :grant AND j.step = :step AND j.host = :host
                ORDER BY (j.attempt > 0 OR j.state IN ('Pending', 'Claimed')) DESC, j.round DESC
                LIMIT 1
                """)
        .bind("grant", grant)
        .bind("step", step.name())
        .bind("host", host)
        .map((row, context) -> of(row))
        .findOne();
  }

  /**
   * The highest round of any step of a grant on a host, 0 before the first. Rounds count over all
   * steps: the token of a later step must never be older than that of an earlier one, whose last
   * attempt may have been its third.
   */
  static int lastRound(Handle handle, String grant, String host) {
    return handle
        .createQuery(
            "SELECT COALESCE(max(round), 0) FROM jobs WHERE grant_id = :grant AND host = :host")
        .bind("grant", grant)
        .bind("host", host)
        .mapTo(Integer.class)
        .one();
  }

  /** Whether somebody has a job of a host. */
  public static boolean held(Handle handle, String grant, String host) {
    return handle
        .createQuery(
            """
            SELECT EXISTS (SELECT FROM jobs
                           WHERE grant_id = :grant AND host = :host AND state = 'Claimed')
            """)
        .bind("grant", grant)
        .bind("host", host)
        .mapTo(Boolean.class)
        .one();
  }

  /** Whether no attempt is possible any more. */
  public boolean ended() {
    return state != JobState.Pending && state != JobState.Claimed;
  }

  /** Ended without ever having been given to anybody: it had no effect. */
  public boolean endedUntouched() {
    return ended() && attempt == 0;
  }

  /** Ended without a result: nobody was ever given it, or who was had fallen silent. */
  public boolean unanswered() {
    return state == JobState.Cancelled || state == JobState.Expired;
  }

  /**
   * Whether it may have had an effect that nobody has read back: the host is Unknown (protocol P9).
   * Not so for a job that was cancelled: its last consumer has stopped, and the undo reads the host
   * before it touches it.
   */
  public boolean lost() {
    return state == JobState.Unknown || (state == JobState.Expired && attempt > 0);
  }

  /** Why it did not succeed, in one sentence. */
  public String failure() {
    if (!message.isEmpty()) {
      return step + ": " + message;
    }
    return attempt == 0
        ? step + ": no consumer of " + topic + " claimed job " + id + " in time"
        : step
            + ": every consumer of job "
            + id
            + " fell silent, the state of "
            + host
            + " is unknown";
  }

  private static JobRow of(ResultSet row) throws SQLException {
    return new JobRow(
        row.getString("id"),
        row.getString("grant_id"),
        row.getString("rollout"),
        JobStep.valueOf(row.getString("step")),
        row.getString("host"),
        row.getInt("round"),
        row.getInt("run"),
        row.getString("topic"),
        JobState.valueOf(row.getString("state")),
        row.getInt("attempt"),
        Optional.ofNullable(row.getString("claim")),
        row.getLong("claim_mark"),
        row.getBoolean("overdue"),
        row.getString("message"),
        row.getInt("hook"),
        row.getBoolean("held"));
  }
}
