package dev.drydock.orchestrator.jobs;

import dev.drydock.api.EventKind;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.platform.events.Event;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Puts the jobs of a step on the board. Rounds come from PostgreSQL:
 *
 * <ol>
 *   <li>no round yet: the first;
 *   <li>the last round has not ended: it stays, and belongs to the publishing run from now on;
 *   <li>the last round ended under an earlier run and was never given to anybody: the next;
 *   <li>else the last round stays, and its result is the result of the step.
 * </ol>
 *
 * <p>Properties: publishing again never repeats an effect that began. Only an Update of a revert,
 * or of a retry of one, says that packages may go to older versions.
 */
final class Publication {
  /** Done by the host operator, which is told the release; the others are the scheduler's. */
  private static final Set<JobStep> ON_HOST =
      EnumSet.of(JobStep.Verify, JobStep.Update, JobStep.Health);

  private Publication() {}

  /**
   * Publishes for the given hosts; the caller holds the lock of the grant for its run.
   *
   * @param drains of a Drain: how long each host may take to empty, as policies say
   * @return how many jobs are new
   */
  static int publish(
      Handle handle,
      GrantRow grant,
      JobStep step,
      Collection<String> hosts,
      Map<String, Duration> drains) {
    int published = 0;
    for (String host : hosts.stream().sorted().toList()) {
      Round round = new Round(step, host, Optional.ofNullable(drains.get(host)), false);
      Optional<JobRow> last = JobRow.last(handle, grant.id(), step, host);
      if (last.isEmpty()) {
        insert(handle, grant, round);
        published++;
      } else if (!last.get().ended()) {
        adopt(handle, grant, last.get());
      } else if (last.get().endedUntouched() && last.get().run() < grant.run()) {
        insert(handle, grant, round);
        published++;
      }
    }
    return published;
  }

  /**
   * What is new on the board.
   *
   * @param drain how long a Drain may take, where policies say
   * @param force what is left there is stopped, not waited for
   */
  record Round(JobStep step, String host, Optional<Duration> drain, boolean force) {
    Duration deadline() {
      return drain.map(BoardTimes::drainDeadline).orElseGet(() -> BoardTimes.deadline(step));
    }
  }

  /**
   * Another round of a step whose last round ended; the caller holds the lock of the grant for its
   * run.
   */
  static void again(Handle handle, GrantRow grant, Round round) {
    JobRow last = JobRow.last(handle, grant.id(), round.step(), round.host()).orElseThrow();
    if (!last.ended()) {
      throw new IllegalStateException("job " + last.id() + " has not ended");
    }
    insert(handle, grant, round);
  }

  /**
   * A Verify that is younger than the last round of a step anybody was given.
   *
   * @return how many jobs are new
   */
  static int readAfter(Handle handle, GrantRow grant, JobStep step, String host) {
    int since = JobRow.lastGiven(handle, grant.id(), step, host).map(JobRow::round).orElse(0);
    Optional<JobRow> read =
        JobRow.last(handle, grant.id(), JobStep.Verify, host)
            .filter(job -> job.round() > since)
            .filter(job -> !grant.blind() || job.run() == grant.run() || !job.ended());
    if (read.isPresent()) {
      return publish(handle, grant, JobStep.Verify, List.of(host), Map.of());
    }
    insert(handle, grant, new Round(JobStep.Verify, host, Optional.empty(), false));
    return 1;
  }

  /** A job that has not ended belongs to the publishing run from now on. */
  static void adopt(Handle handle, GrantRow grant, JobRow job) {
    handle
        .createUpdate("UPDATE jobs SET run = :run WHERE id = :id AND run <> :run")
        .bind("run", grant.run())
        .bind("id", job.id())
        .execute();
  }

  private static void insert(Handle handle, GrantRow grant, Round wanted) {
    JobStep step = wanted.step();
    String host = wanted.host();
    int round = JobRow.lastRound(handle, grant.id(), host) + 1;
    String id = grant.id() + "." + step.name() + "." + host + "." + round;
    int inserted =
        handle
            .createUpdate(
                """
                INSERT INTO jobs (id, grant_id, step, host, round, run, topic, state, spec, deadline)
                SELECT :id, :grant, :step, h.name, :round, :run, topic, 'Pending',
                       jsonb_build_object(
                         'id', :id, 'grant', :grant, 'rollout', r.id, 'step', :step, 'topic', topic,
                         'host', h.name, 'address', h.address, 'round', :round,
                         'instances', COALESCE(
                           (SELECT jsonb_agg(
                                     jsonb_build_object(
                                       'id', i.id, 'application', i.application, 'zone', i.zone)
                                     ORDER BY i.id)
                            FROM instances i WHERE i.host = h.name AND i.vanished_at IS NULL), '[]'),
                         'osFamily', COALESCE(h.labels->>'os-family', 'apt'),
                         'facts', u.facts,
                         'deadlineSeconds', CAST(:deadline AS int),
                         'createdAt',
                           CAST(extract(epoch FROM transaction_timestamp()) * 1000 AS bigint))
                       || CASE WHEN :onHost THEN jsonb_build_object('release', s.spec) ELSE '{}' END
                       || CASE WHEN :step = 'Update'
                               THEN jsonb_build_object('downgrade', EXISTS (
                                 WITH RECURSIVE line(origin, rollout) AS (
                                   SELECT r.origin, r.origin_rollout
                                   UNION ALL
                                   SELECT e.origin, e.origin_rollout
                                   FROM line JOIN rollouts e ON e.id = line.rollout
                                   WHERE line.origin = 'Retry')
                                 SELECT FROM line WHERE origin = 'Revert'))
                               ELSE '{}' END
                       || jsonb_strip_nulls(
                            jsonb_build_object('drainSecondsMax', CAST(:drain AS int)))
                       || CASE WHEN :force THEN '{"force": true}'::jsonb ELSE '{}' END,
                       clock_timestamp() + make_interval(secs => :deadline)
                FROM hosts h
                JOIN rollouts r ON r.id = :rollout
                JOIN releases s ON s.name = r.release
                JOIN host_upgrades u ON u.rollout = r.id AND u.host = h.name
                CROSS JOIN LATERAL (
                  SELECT CASE WHEN :onHost THEN 'host/' || r.mode ELSE 'scheduler/' || h.scheduler END
                ) AS topics(topic)
                WHERE h.name = :host
                """)
            .bind("id", id)
            .bind("grant", grant.id())
            .bind("step", step.name())
            .bind("round", round)
            .bind("run", grant.run())
            .bind("deadline", wanted.deadline().toSeconds())
            .bind("drain", wanted.drain().map(Duration::toSeconds))
            .bind("force", wanted.force())
            .bind("onHost", ON_HOST.contains(step))
            .bind("rollout", grant.rollout())
            .bind("host", host)
            .execute();
    if (inserted != 1) {
      throw new IllegalStateException(
          "host " + host + " is not part of rollout " + grant.rollout());
    }
    handle
        .createUpdate(
            "UPDATE host_upgrades SET step = :step WHERE grant_id = :grant AND host = :host")
        .bind("step", step.name())
        .bind("grant", grant.id())
        .bind("host", host)
        .execute();
    Event.ofHost(EventKind.JobPublished, grant.rollout(), host, Map.of("job", id)).append(handle);
  }
}
