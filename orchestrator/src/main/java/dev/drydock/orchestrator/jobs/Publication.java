package dev.drydock.orchestrator.jobs;

import dev.drydock.api.EventKind;
import dev.drydock.api.JobStep;
import dev.drydock.api.RepairAction;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.platform.events.Event;
import dev.drydock.proto.Json;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
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
      EnumSet.of(JobStep.Verify, JobStep.Update, JobStep.Health, JobStep.Repair);

  /** Who does the steps of a host reads it, too; what acts on it has a topic of its own. */
  private static final Set<RepairAction> READINGS =
      EnumSet.of(RepairAction.Diagnose, RepairAction.Verify);

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
    Map<String, JobRow> lasts = JobRow.lasts(handle, grant.id(), step);
    for (String host : hosts.stream().sorted().toList()) {
      Round round =
          step == JobStep.Drain
              ? Round.drain(host, Optional.ofNullable(drains.get(host)), false)
              : Round.of(step, host);
      Optional<JobRow> last = Optional.ofNullable(lasts.get(host));
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
   * @param more what the job says beside what all of its step say
   * @param facts beside those of earlier steps
   * @param repairs whether a remediation waits for it
   */
  record Round(
      JobStep step,
      String host,
      Duration deadline,
      Map<String, ?> more,
      Map<String, String> facts,
      boolean repairs) {
    Round {
      more = Map.copyOf(more);
      facts = Map.copyOf(facts);
    }

    static Round of(JobStep step, String host) {
      return new Round(step, host, BoardTimes.deadline(step), Map.of(), Map.of(), false);
    }

    /**
     * Of a Drain.
     *
     * @param timeout how long it may take, where policies say
     * @param force what is left there is stopped, not waited for
     */
    static Round drain(String host, Optional<Duration> timeout, boolean force) {
      Map<String, Object> more = new HashMap<>();
      timeout.ifPresent(time -> more.put("drainSecondsMax", time.toSeconds()));
      if (force) {
        more.put("force", true);
      }
      return new Round(
          JobStep.Drain,
          host,
          timeout
              .map(BoardTimes::drainDeadline)
              .orElseGet(() -> BoardTimes.deadline(JobStep.Drain)),
          more,
          Map.of(),
          false);
    }

    static Round repair(JobStep step, String host, Map<String, ?> more, Map<String, String> facts) {
      return new Round(step, host, BoardTimes.deadline(step), more, facts, true);
    }

    private String topic() {
      return more.get("repair") instanceof RepairAction repair && !READINGS.contains(repair)
          ? "host/" + repair
          : "";
    }
  }

  /**
   * Another round of a step whose last round, if there was one, ended; the caller holds the lock of
   * the grant for its run.
   *
   * @return the id of its job
   */
  static String again(Handle handle, GrantRow grant, Round round) {
    JobRow.last(handle, grant.id(), round.step(), round.host())
        .filter(last -> !last.ended())
        .ifPresent(
            last -> {
              throw new IllegalStateException("job " + last.id() + " has not ended");
            });
    return insert(handle, grant, round);
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
    insert(handle, grant, Round.of(JobStep.Verify, host));
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

  private static String insert(Handle handle, GrantRow grant, Round wanted) {
    JobStep step = wanted.step();
    String host = wanted.host();
    int round = JobRow.lastRound(handle, grant.id(), host) + 1;
    String id = grant.id() + "." + step.name() + "." + host + "." + round;
    int inserted =
        handle
            .createUpdate(
                """
                INSERT INTO jobs (id, grant_id, step, host, round, run, topic, repairs, state, spec, deadline)
                SELECT :id, :grant, :step, h.name, :round, :run, topic, :repairs, 'Pending',
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
                         'facts', u.facts || CAST(:facts AS jsonb),
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
                       || CAST(:more AS jsonb),
                       clock_timestamp() + make_interval(secs => :deadline)
                FROM hosts h
                JOIN rollouts r ON r.id = :rollout
                JOIN releases s ON s.name = r.release
                JOIN host_upgrades u ON u.rollout = r.id AND u.host = h.name
                CROSS JOIN LATERAL (
                  SELECT CASE WHEN :topic <> '' THEN :topic WHEN :onHost THEN 'host/' || r.mode ELSE 'scheduler/' || h.scheduler END
                ) AS topics(topic)
                WHERE h.name = :host
                """)
            .bind("id", id)
            .bind("grant", grant.id())
            .bind("step", step.name())
            .bind("round", round)
            .bind("run", grant.run())
            .bind("deadline", wanted.deadline().toSeconds())
            .bind("facts", Json.writeTree(wanted.facts()))
            .bind("more", Json.writeTree(wanted.more()))
            .bind("repairs", wanted.repairs())
            .bind("topic", wanted.topic())
            .bind("onHost", ON_HOST.contains(step))
            .bind("rollout", grant.rollout())
            .bind("host", host)
            .execute();
    if (inserted != 1) {
      throw new IllegalStateException(
          "host " + host + " is not part of rollout " + grant.rollout());
    }
    // While it is repaired a host is at the step that failed.
    if (step != JobStep.Repair) {
      handle
          .createUpdate(
              "UPDATE host_upgrades SET step = :step WHERE grant_id = :grant AND host = :host")
          .bind("step", step.name())
          .bind("grant", grant.id())
          .bind("host", host)
          .execute();
    }
    Event.ofHost(EventKind.JobPublished, grant.rollout(), host, Map.of("job", id)).append(handle);
    return id;
  }
}
