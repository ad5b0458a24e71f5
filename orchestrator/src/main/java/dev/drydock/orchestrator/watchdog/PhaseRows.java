package dev.drydock.orchestrator.watchdog;

import dev.drydock.orchestrator.core.watchdog.ActivePhase;
import dev.drydock.orchestrator.core.watchdog.ActivePhase.Cohort;
import dev.drydock.orchestrator.core.watchdog.ActivePhase.Work;
import dev.drydock.orchestrator.core.watchdog.Overdue;
import dev.drydock.orchestrator.core.watchdog.TypicalDuration;
import dev.drydock.orchestrator.store.RecoveryJobFilter;
import dev.drydock.platform.store.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/** Reads what phases are at work, and what finished ones took. Changes nothing. */
final class PhaseRows {
  /** Nobody is told of what takes no longer. */
  private static final Duration LEAST = Duration.ofSeconds(10);

  /** So many rollouts to a release tell what is usual, the newest first, and so many hosts. */
  private static final int ROLLOUTS_MAX = 200;

  private static final int HOSTS_MAX = 2000;

  /** Claims are looked for among so many events. */
  private static final int EVENTS_MAX = 20_000;

  private static final String OF_HOST =
      """
      SELECT g.id AS grant_id, u.rollout, u.host, u.applications, h.hardware_class, r.release,
      """;

  private static final String HOSTS =
      """
      FROM grants g
      JOIN host_upgrades u ON u.grant_id = g.id AND u.state = 'InProgress'
      JOIN hosts h ON h.name = u.host
      JOIN rollouts r ON r.id = u.rollout
      """;

  /**
   * Of a job that is live. In recovery mode hosts are read and nothing else is offered; afterwards
   * consumers have as long as from the beginning.
   */
  private static final String LIVE =
      OF_HOST
          + """
                 j.step AS phase, j.began, extract(epoch FROM clock_timestamp() - j.began) AS took,
                 j.id AS job, j.topic, j.attempt, j.consumer,
                 NOT
          """
          + RecoveryJobFilter.JOB
          + """
                 AND (j.step <> 'Drain' OR 'Grant' = (
                   SELECT c.state FROM checks c WHERE c.grant_id = g.id AND c.kind = 'open'
                   ORDER BY c.round DESC LIMIT 1)) AS offered,
                 COALESCE(extract(epoch FROM clock_timestamp() - j.lease_until), 0) AS past_lease
          """
          + HOSTS
          + """
          JOIN LATERAL (
            SELECT *, GREATEST(created_at, (SELECT max(ended_at) FROM recoveries)) AS began FROM jobs
            WHERE grant_id = g.id AND host = u.host AND state IN ('Pending', 'Claimed')
            ORDER BY round DESC LIMIT 1) j ON true
          WHERE g.state = 'granted' AND j.began < clock_timestamp() - make_interval(secs => :least)
          """;

  /**
   * Of a batch that has nothing on the board, is not judged, about which nobody is asked, and no
   * host of which waits for its turn to be mended. What people were asked on its way forward is
   * over once it goes back, and what is to be tried once its remediation ended.
   */
  private static final String IDLE =
      OF_HOST
          + """
                 COALESCE(u.step, 'Grant') AS phase, idle.since AS began,
                 extract(epoch FROM clock_timestamp() - idle.since) AS took,
                 NULL AS job, NULL AS topic, 0 AS attempt, NULL AS consumer, true AS offered, 0 AS past_lease
          """
          + HOSTS
          + """
          CROSS JOIN LATERAL (SELECT GREATEST(
            g.created_at,
            (SELECT max(ended_at) FROM jobs WHERE grant_id = g.id),
            (SELECT max(decided_at) FROM checks WHERE grant_id = g.id),
            (SELECT max(answered_at) FROM decisions WHERE grant_id = g.id),
            (SELECT max(ended_at) FROM remediations WHERE grant_id = g.id)) AS since) idle
          WHERE g.state = 'granted' AND idle.since < clock_timestamp() - make_interval(secs => :least)
            AND NOT EXISTS (SELECT FROM jobs WHERE grant_id = g.id AND state IN ('Pending', 'Claimed'))
            AND NOT EXISTS (SELECT FROM checks WHERE grant_id = g.id AND state = 'requested')
            -- A batch that lost its run asks the open check again later.
            AND NOT (g.reclaim IS NOT NULL AND 'Wait' = (
              SELECT c.state FROM checks c WHERE c.grant_id = g.id AND c.kind = 'open'
              ORDER BY c.round DESC LIMIT 1))
            AND NOT EXISTS (
              SELECT FROM decisions d
              WHERE d.grant_id = g.id AND d.answer IS NULL
                AND (d.kind = 'LateDrain' OR d.goes_back = (g.undo IS NOT NULL))
                AND (d.kind <> 'RepairApproval'
                     OR EXISTS (SELECT FROM remediations r
                                WHERE r.grant_id = g.id AND r.host = ANY(d.hosts) AND r.step = d.step
                                  AND r.state = 'Open')))
            AND NOT (:crowded AND EXISTS (
              SELECT FROM remediations r WHERE r.grant_id = g.id AND r.state = 'Open'))
          """;

  private PhaseRows() {}

  /**
   * What holds for all of them.
   *
   * @param lease how long a claim lasts without being renewed
   * @param crowded whether hosts may wait for their turn to be mended
   */
  record Terms(Duration lease, boolean crowded) {}

  /** All of them. */
  static List<ActivePhase> atWork(Handle handle, Terms terms) {
    List<ActivePhase> phases = new ArrayList<>(read(handle.createQuery(LIVE), terms));
    phases.addAll(read(handle.createQuery(IDLE).bind("crowded", terms.crowded()), terms));
    return phases;
  }

  /** The same of one host of a grant, if its phase has not ended since. */
  static Optional<ActivePhase> still(Handle handle, ActivePhase phase, Terms terms) {
    String sql = phase.job().isPresent() ? LIVE + " AND j.id = :job" : IDLE + " AND u.host = :host";
    var query =
        handle
            .createQuery(sql + " AND g.id = :grant")
            .bind("grant", phase.grant())
            .bind("least", 0);
    phase
        .job()
        .ifPresentOrElse(
            work -> query.bind("job", work.id()),
            () -> query.bind("host", phase.host()).bind("crowded", terms.crowded()));
    return query
        .map((row, _) -> of(row, terms.lease()))
        .findOne()
        .filter(now -> now.phase().equals(phase.phase()));
  }

  private static List<ActivePhase> read(Query query, Terms terms) {
    return query.bind("least", LEAST.toSeconds()).map((row, _) -> of(row, terms.lease())).list();
  }

  private static ActivePhase of(ResultSet row, Duration lease) throws SQLException {
    String job = row.getString("job");
    return new ActivePhase(
        row.getString("grant_id"),
        row.getString("rollout"),
        row.getString("host"),
        row.getString("phase"),
        row.getTimestamp("began").toInstant(),
        seconds(row.getDouble("took")),
        Set.of((String[]) row.getArray("applications").getArray()),
        row.getString("hardware_class"),
        row.getString("release"),
        job == null
            ? Optional.empty()
            : Optional.of(
                new Work(
                    job,
                    row.getString("topic"),
                    row.getBoolean("offered"),
                    row.getInt("attempt"),
                    Optional.ofNullable(row.getString("consumer")),
                    seconds(row.getDouble("past_lease") + lease.toSeconds()))));
  }

  private static Duration seconds(double seconds) {
    return Duration.ofMillis(Math.max(0, (long) (seconds * 1000)));
  }

  /** Of the cohorts of these phases, those of which enough hosts were upgraded. */
  static Map<Cohort, TypicalDuration> usual(Handle handle, Collection<ActivePhase> phases) {
    Map<Cohort, List<Duration>> finished = new HashMap<>();
    Set<String> applications = new HashSet<>();
    Set<String> releases = new HashSet<>();
    Set<String> steps = new HashSet<>();
    for (ActivePhase phase : phases) {
      phase.cohorts().forEach(cohort -> finished.put(cohort, new ArrayList<>()));
      applications.addAll(phase.applications());
      releases.add(phase.release());
      steps.add(phase.phase());
    }
    if (!phases.isEmpty()) {
      handle
          .createQuery(
              """
              SELECT h.hardware_class, u.release, COALESCE(a.application, '') AS application, j.step,
                     extract(epoch FROM j.ended_at - j.created_at) AS took
              FROM (SELECT r.release, done.*
                    FROM (SELECT id, release FROM rollouts
                          WHERE release = ANY(:releases) ORDER BY number DESC LIMIT :rollouts) r
                    CROSS JOIN LATERAL (
                      SELECT host, grant_id, applications FROM host_upgrades
                      WHERE rollout = r.id AND state = 'Upgraded'
                        AND (applications && CAST(:applications AS text[]) OR applications = '{}')
                      ORDER BY ended_at DESC LIMIT :hosts) done
                    LIMIT :hosts) u
              JOIN hosts h ON h.name = u.host
              JOIN jobs j ON j.grant_id = u.grant_id AND j.host = u.host AND j.state = 'Done'
              LEFT JOIN LATERAL unnest(u.applications) AS a(application) ON true
              WHERE j.step = ANY(:steps)
              """)
          .bindArray("releases", String.class, releases)
          .bindArray("applications", String.class, applications)
          .bindArray("steps", String.class, steps)
          .bind("rollouts", ROLLOUTS_MAX)
          .bind("hosts", HOSTS_MAX)
          .map(
              (row, _) ->
                  Map.entry(
                      new Cohort(
                          row.getString("hardware_class"),
                          row.getString("release"),
                          row.getString("application"),
                          row.getString("step")),
                      seconds(row.getDouble("took"))))
          .forEach(
              took -> {
                List<Duration> ofCohort = finished.get(took.getKey());
                if (ofCohort != null) {
                  ofCohort.add(took.getValue());
                }
              });
    }
    Map<Cohort, TypicalDuration> usual = new HashMap<>();
    finished.forEach(
        (cohort, times) -> TypicalDuration.of(times).ifPresent(time -> usual.put(cohort, time)));
    return usual;
  }

  /** Of these topics those of which nobody has a job, nor claimed one of late. */
  static Set<String> silent(Handle handle, Collection<String> topics) {
    if (topics.isEmpty()) {
      return Set.of();
    }
    Set<String> silent = new HashSet<>(topics);
    Sql.texts(
            handle,
            """
            SELECT DISTINCT topic FROM jobs WHERE state = 'Claimed' AND topic = ANY(:topics)
            UNION
            SELECT DISTINCT j.topic
            FROM (SELECT kind, at, data FROM events ORDER BY id DESC LIMIT :events) e
            JOIN jobs j ON j.id = e.data->>'job'
            WHERE e.kind = 'JobClaimed' AND j.topic = ANY(:topics)
              AND e.at > clock_timestamp() - make_interval(secs => :late)
            """,
            Map.of(
                "topics", topics,
                "events", EVENTS_MAX,
                "late", Overdue.UNCLAIMED_MAX.toSeconds()))
        .forEach(silent::remove);
    return silent;
  }
}
