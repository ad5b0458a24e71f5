package dev.drydock.orchestrator.remediation;

import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.jobs.JobRow;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.proto.Json;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/** The rows of remediations and of their steps. The caller holds the lock of the grant. */
final class RemediationRows {
  private static final String COLUMNS =
      "SELECT grant_id, host, step, ladder, approve, reason, state, says FROM remediations ";

  private RemediationRows() {}

  /** The newest of a host under a grant. */
  static Optional<Remediation> last(Handle handle, String grant, String host) {
    return handle
        .createQuery(
            COLUMNS + "WHERE grant_id = :grant AND host = :host ORDER BY began_at DESC LIMIT 1")
        .bind("grant", grant)
        .bind("host", host)
        .map((row, _) -> of(row))
        .findOne();
  }

  /** Whether one of this step was ever begun. */
  static boolean had(Handle handle, String grant, String host, JobStep step) {
    return handle
        .createQuery(
            """
            SELECT EXISTS (SELECT FROM remediations
                           WHERE grant_id = :grant AND host = :host AND step = :step)
            """)
        .bind("grant", grant)
        .bind("host", host)
        .bind("step", step.name())
        .mapTo(Boolean.class)
        .one();
  }

  /** How one ended in vain that was about this job; a later round people asked for is another. */
  static Optional<String> exhausted(Handle handle, JobRow failed) {
    return handle
        .createQuery(
            """
            SELECT r.says FROM remediations r
            JOIN jobs j ON j.grant_id = r.grant_id AND j.host = r.host AND j.step = r.step
            WHERE j.id = :job AND r.state = 'Exhausted' AND r.ended_at >= j.created_at
            """)
        .bind("job", failed.id())
        .mapTo(String.class)
        .findOne();
  }

  /** Whether the job is a step of one. */
  static boolean did(Handle handle, JobRow job) {
    return handle
        .createQuery("SELECT EXISTS (SELECT FROM remediation_steps WHERE job = :job)")
        .bind("job", job.id())
        .mapTo(Boolean.class)
        .one();
  }

  /** Grants and hosts with an open one. */
  static List<Map.Entry<String, String>> open(Handle handle) {
    return handle
        .createQuery("SELECT grant_id, host FROM remediations WHERE state = 'Open' ORDER BY 1, 2")
        .map((row, _) -> Map.entry(row.getString("grant_id"), row.getString("host")))
        .list();
  }

  static void begin(Handle handle, Remediation begun) {
    handle
        .createUpdate(
            """
            INSERT INTO remediations (grant_id, host, step, ladder, approve, reason)
            VALUES (:grant, :host, :step, :ladder, :approve, :reason)
            """)
        .bind("grant", begun.grant())
        .bind("host", begun.host())
        .bind("step", begun.step().name())
        .bindArray("ladder", String.class, words(begun.ladder().rungs()))
        .bindArray("approve", String.class, words(begun.ladder().approve()))
        .bind("reason", begun.reason())
        .execute();
  }

  /** The one that took a host back, or else the newest, of a host under a grant. */
  static Optional<Remediation> decisive(Handle handle, String grant, String host) {
    return handle
        .createQuery(
            COLUMNS
                + """
                WHERE grant_id = :grant AND host = :host
                ORDER BY went_back DESC, began_at DESC LIMIT 1
                """)
        .bind("grant", grant)
        .bind("host", host)
        .map((row, _) -> of(row))
        .findOne();
  }

  /**
   * How one ends.
   *
   * @param signature as found last; empty where nobody found out
   * @param wentBack whether its host serves again on the release it had before
   */
  record End(RemediationState state, String says, String signature, boolean wentBack) {}

  static void end(Handle handle, Remediation open, End end) {
    handle
        .createUpdate(
            """
            UPDATE remediations
            SET state = :state, says = :says, signature = :signature, went_back = :wentBack,
                ended_at = clock_timestamp()
            WHERE grant_id = :grant AND host = :host AND step = :step AND state = 'Open'
            """)
        .bind("state", end.state().name())
        .bind("says", end.says())
        .bind("signature", end.signature())
        .bind("wentBack", end.wentBack())
        .bind("grant", open.grant())
        .bind("host", open.host())
        .bind("step", open.step().name())
        .execute();
  }

  /** Read at once: jobs end without the lock of their grant. */
  static List<Course.Taken> taken(Handle handle, Remediation of) {
    return handle
        .createQuery(
            """
            SELECT s.action, s.rung, j.state, j.attempt,
                   COALESCE(j.ended_at < clock_timestamp() - interval '1 min', false) AS old,
                   COALESCE(j.result->>'message', '') AS message,
                   COALESCE(j.result->'facts', '{}') AS facts
            FROM remediation_steps s JOIN jobs j ON j.id = s.job
            WHERE s.grant_id = :grant AND s.host = :host AND s.step = :step
            ORDER BY s.number
            """)
        .bind("grant", of.grant())
        .bind("host", of.host())
        .bind("step", of.step().name())
        .map((row, _) -> taken(row))
        .list();
  }

  static void took(Handle handle, Remediation of, Course.Next.Do next, String job) {
    handle
        .createUpdate(
            """
            INSERT INTO remediation_steps (grant_id, host, step, number, action, rung, job)
            SELECT :grant, :host, :step, count(*) + 1, :action, CAST(:rung AS int), :job
            FROM remediation_steps WHERE grant_id = :grant AND host = :host AND step = :step
            """)
        .bind("grant", of.grant())
        .bind("host", of.host())
        .bind("step", of.step().name())
        .bind("action", next.action().word())
        .bind("rung", next.rung().isPresent() ? next.rung().getAsInt() : null)
        .bind("job", job)
        .execute();
  }

  /**
   * What goes on around a host, until this transaction ends: who asks later sees what this one
   * does. Whoever went back to the release before was not helped with what it has.
   */
  static Storm.Around around(
      Handle handle, GrantRow grant, String host, String signature, Duration coolDown) {
    handle.execute("SELECT pg_advisory_xact_lock(hashtext('remediations'))");
    return handle
        .createQuery(
            """
            SELECT
              (SELECT count(*) FROM remediations r
               JOIN remediation_steps s USING (grant_id, host, step)
               JOIN jobs j ON j.id = s.job AND j.state IN ('Pending', 'Claimed')
               WHERE r.state = 'Open' AND s.action = ANY(:acts)) AS acting,
              alike.in_vain, alike.helped,
              EXISTS (SELECT FROM remediations r
                      WHERE r.host = :host AND r.grant_id <> :grant AND r.state = 'Resumed'
                        AND NOT r.went_back
                        AND r.ended_at > clock_timestamp() - make_interval(secs => :coolDown))
                AS recently
            FROM (SELECT count(*) FILTER (WHERE r.state = 'Exhausted' OR r.went_back) AS in_vain,
                         count(*) FILTER (WHERE r.state = 'Resumed' AND NOT r.went_back) AS helped
                  FROM grants g
                  JOIN remediations r ON r.grant_id = g.id
                  JOIN hosts h ON h.name = r.host
                  WHERE g.rollout = :rollout AND r.host <> :host AND r.signature = :signature
                    AND h.hardware_class IS NOT DISTINCT FROM (
                          SELECT hardware_class FROM hosts WHERE name = :host)) alike
            """)
        .bindArray("acts", String.class, acts())
        .bind("rollout", grant.rollout())
        .bind("grant", grant.id())
        .bind("host", host)
        .bind("signature", signature)
        .bind("coolDown", coolDown.toMillis() / 1000.0)
        .map(
            (row, _) ->
                new Storm.Around(
                    row.getInt("acting"),
                    row.getInt("in_vain"),
                    row.getInt("helped"),
                    row.getBoolean("recently")))
        .one();
  }

  /** On how many hosts of the fleet something is done to mend them, or was within this time. */
  static int actingLately(Handle handle, Duration lately) {
    return handle
        .createQuery(
            """
            SELECT count(*) FROM remediations r
            JOIN remediation_steps s USING (grant_id, host, step)
            JOIN jobs j ON j.id = s.job
            WHERE s.action = ANY(:acts)
              AND (r.state = 'Open' OR r.ended_at > clock_timestamp() - make_interval(secs => :lately))
              AND (j.state IN ('Pending', 'Claimed')
                   OR j.ended_at > clock_timestamp() - make_interval(secs => :lately))
            """)
        .bindArray("acts", String.class, acts())
        .bind("lately", lately.toSeconds())
        .mapTo(Integer.class)
        .one();
  }

  private static List<String> acts() {
    return Stream.of(Action.values()).filter(Action::acts).map(Action::word).toList();
  }

  /** The run that works the grant now may give out what an earlier one published. */
  static void adopt(Handle handle, GrantRow grant) {
    handle
        .createUpdate(
            """
            UPDATE jobs SET run = :run
            WHERE grant_id = :grant AND repairs AND state IN ('Pending', 'Claimed') AND run <> :run
            """)
        .bind("run", grant.run())
        .bind("grant", grant.id())
        .execute();
  }

  private static Remediation of(ResultSet row) throws SQLException {
    return new Remediation(
        row.getString("grant_id"),
        row.getString("host"),
        JobStep.valueOf(row.getString("step")),
        new Ladder(rungs(row, "ladder"), Set.copyOf(rungs(row, "approve"))),
        row.getString("reason"),
        RemediationState.valueOf(row.getString("state")),
        row.getString("says"));
  }

  private static List<String> words(Collection<Rung> rungs) {
    return rungs.stream().map(Rung::word).toList();
  }

  private static List<Rung> rungs(ResultSet row, String column) throws SQLException {
    return Stream.of((String[]) row.getArray(column).getArray()).map(Rung::of).toList();
  }

  private static Course.Taken taken(ResultSet row) throws SQLException {
    JobState state = JobState.valueOf(row.getString("state"));
    Integer rung = row.getObject("rung", Integer.class);
    return new Course.Taken(
        Action.of(row.getString("action")),
        rung == null ? OptionalInt.empty() : OptionalInt.of(rung),
        state,
        state == JobState.Unknown || (state == JobState.Expired && row.getInt("attempt") > 0),
        row.getBoolean("old"),
        Json.readTree(row.getString("facts")).entrySet().stream()
            .collect(
                Collectors.toMap(Map.Entry::getKey, entry -> String.valueOf(entry.getValue()))),
        row.getString("message"));
  }
}
