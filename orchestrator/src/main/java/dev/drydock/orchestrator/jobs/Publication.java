package dev.drydock.orchestrator.jobs;

import dev.drydock.api.EventKind;
import dev.drydock.api.JobStep;
import dev.drydock.api.RepairAction;
import dev.drydock.api.RolloutMode;
import dev.drydock.orchestrator.store.BatchHosts;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.platform.events.Event;
import dev.drydock.proto.Json;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
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
 * of a retry of one, or of a host that is taken back, says that packages may go to older versions.
 */
public final class Publication {
  /** Done by the host operator, which is told the release; the others are the scheduler's. */
  private static final Set<JobStep> ON_HOST =
      EnumSet.of(JobStep.Verify, JobStep.Update, JobStep.Health, JobStep.Repair);

  private static final String REIMAGE = "host/" + RolloutMode.Reimage;

  private Publication() {}

  /**
   * Publishes for the given hosts; the caller holds the lock of the grant for its run.
   *
   * @return how many jobs are new
   */
  public static int publish(Handle handle, GrantRow grant, JobStep step, Collection<String> hosts) {
    return hosts.isEmpty()
        ? 0
        : publish(handle, grant, JobRow.lasts(handle, grant.id(), step), step, hosts);
  }

  /**
   * The same where the last rounds of the step are known.
   *
   * @return how many jobs are new; none of the known rounds changed otherwise
   */
  public static int publish(
      Handle handle,
      GrantRow grant,
      Map<String, JobRow> lasts,
      JobStep step,
      Collection<String> hosts) {
    return publish(handle, grant, lasts, hosts, host -> Round.of(step, host));
  }

  /**
   * The same of a Drain.
   *
   * @param timeouts how long a host may take to empty, where policies say
   */
  public static int drain(
      Handle handle,
      GrantRow grant,
      Map<String, JobRow> lasts,
      Collection<String> hosts,
      Function<String, Optional<Duration>> timeouts) {
    return publish(
        handle, grant, lasts, hosts, host -> Round.drain(host, timeouts.apply(host), false));
  }

  private static int publish(
      Handle handle,
      GrantRow grant,
      Map<String, JobRow> lasts,
      Collection<String> hosts,
      Function<String, Round> rounds) {
    int published = 0;
    for (String host : hosts.stream().sorted().toList()) {
      Optional<JobRow> last = Optional.ofNullable(lasts.get(host));
      if (last.isEmpty()) {
        insert(handle, grant, rounds.apply(host));
        published++;
      } else if (!last.get().ended()) {
        adopt(handle, grant, last.get());
      } else if (last.get().endedUntouched() && last.get().run() < grant.run()) {
        insert(handle, grant, rounds.apply(host));
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
   * @param topic where it is not that of its step
   */
  private record Round(
      JobStep step,
      String host,
      Duration deadline,
      Map<String, ?> more,
      Map<String, String> facts,
      boolean repairs,
      Optional<String> topic) {
    Round {
      more = Map.copyOf(more);
      facts = Map.copyOf(facts);
    }

    static Round of(JobStep step, String host) {
      return new Round(
          step, host, BoardTimes.deadline(step), Map.of(), Map.of(), false, Optional.empty());
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
          false,
          Optional.empty());
    }

    static Round repair(String host, RepairAction action, Map<String, String> facts) {
      return new Round(
          JobStep.Repair,
          host,
          BoardTimes.deadline(JobStep.Repair),
          Map.of("repair", action),
          facts,
          true,
          // What changes a host has a topic of its own.
          SinceChanged.READINGS.contains(action)
              ? Optional.empty()
              : Optional.of("host/" + action));
    }

    /** A step again, because a remediation wants it. */
    static Round repeat(JobStep step, String host, Optional<String> topic) {
      return new Round(step, host, BoardTimes.deadline(step), Map.of(), Map.of(), true, topic);
    }
  }

  /**
   * Another round of a Drain that ended without a drained host; the caller holds the lock of the
   * grant for its run.
   *
   * @param timeout how long it may take, as policies say
   * @param force whether what is left there is stopped, not waited for
   */
  public static void drainAgain(
      Handle handle, GrantRow grant, String host, Duration timeout, boolean force) {
    again(handle, grant, Round.drain(host, Optional.of(timeout), force));
  }

  /**
   * Another round of a step that ended badly and whose host was read back; the caller holds the
   * lock of the grant for its run.
   */
  public static void again(Handle handle, GrantRow grant, JobStep step, String host) {
    again(handle, grant, Round.of(step, host));
  }

  /**
   * A Repair; the caller holds the lock of the grant. Its last one, and whatever else runs on the
   * host, has ended.
   *
   * @param facts what the job is told beside the facts of earlier steps
   * @return its id
   */
  public static String repair(
      Handle handle, GrantRow grant, String host, RepairAction action, Map<String, String> facts) {
    return again(handle, grant, Round.repair(host, action, facts));
  }

  /** Another round of a step that ended, in the same way. */
  public static String repeat(Handle handle, GrantRow grant, JobStep step, String host) {
    return again(handle, grant, Round.repeat(step, host, Optional.empty()));
  }

  /** Another round of an Update that ended, by an installation, whatever the rollout's way. */
  public static String reimage(Handle handle, GrantRow grant, String host) {
    return again(handle, grant, Round.repeat(JobStep.Update, host, Optional.of(REIMAGE)));
  }

  private static String again(Handle handle, GrantRow grant, Round round) {
    JobRow.last(handle, grant.id(), round.step(), round.host())
        .filter(last -> !last.ended())
        .ifPresent(
            last -> {
              throw new IllegalStateException("job " + last.id() + " has not ended");
            });
    return insert(handle, grant, round);
  }

  /**
   * Another round of a step, unless its last one has not ended, which stays then and belongs to the
   * publishing run; the caller holds the lock of the grant for that.
   *
   * @return how many jobs are new
   */
  public static int anew(Handle handle, GrantRow grant, JobStep step, String host) {
    Optional<JobRow> begun =
        JobRow.last(handle, grant.id(), step, host).filter(job -> !job.ended());
    if (begun.isPresent()) {
      adopt(handle, grant, begun.get());
      return 0;
    }
    again(handle, grant, step, host);
    return 1;
  }

  /** A job that has not ended belongs to the publishing run from now on. */
  static void adopt(Handle handle, GrantRow grant, JobRow job) {
    if (job.run() == grant.run()) {
      return;
    }
    handle
        .createUpdate("UPDATE jobs SET run = :run WHERE id = :id AND run <> :run")
        .bind("run", grant.run())
        .bind("id", job.id())
        .execute();
  }

  /** Whether packages may go to older versions: a revert, or a retry of one. */
  private static boolean downgrades(Handle handle, String rollout) {
    return handle
        .createQuery(
            """
            WITH RECURSIVE line(origin, rollout) AS (
              SELECT origin, origin_rollout FROM rollouts WHERE id = :rollout
              UNION ALL
              SELECT e.origin, e.origin_rollout
              FROM line JOIN rollouts e ON e.id = line.rollout WHERE line.origin = 'Retry')
            SELECT EXISTS (SELECT FROM line WHERE origin = 'Revert')
            """)
        .bind("rollout", rollout)
        .mapTo(Boolean.class)
        .one();
  }

  private static String insert(Handle handle, GrantRow grant, Round wanted) {
    JobStep step = wanted.step();
    String host = wanted.host();
    Map<String, Object> more = new HashMap<>(wanted.more());
    if (step == JobStep.Update) {
      boolean back = BatchHosts.backTo(handle, grant.id(), host).isPresent();
      more.put("downgrade", back || downgrades(handle, grant.rollout()));
    }
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
                         'hardwareClass', COALESCE(h.hardware_class, ''),
                         'facts', u.facts || CAST(:facts AS jsonb),
                         'deadlineSeconds', CAST(seconds AS int),
                         'createdAt',
                           CAST(extract(epoch FROM transaction_timestamp()) * 1000 AS bigint))
                       || CASE WHEN :onHost THEN jsonb_build_object('release', s.spec) ELSE '{}' END
                       || CAST(:more AS jsonb),
                       clock_timestamp() + make_interval(secs => seconds)
                FROM hosts h
                JOIN rollouts r ON r.id = :rollout
                JOIN host_upgrades u ON u.rollout = r.id AND u.host = h.name
                JOIN releases s ON s.name = COALESCE(u.back_to, r.release)
                CROSS JOIN LATERAL (
                  SELECT CASE WHEN :topic <> '' THEN :topic WHEN :onHost THEN 'host/' || r.mode ELSE 'scheduler/' || h.scheduler END
                ) AS topics(topic)
                CROSS JOIN LATERAL (
                  SELECT CASE WHEN :step = 'Update' AND topic = :reimage THEN :installation ELSE :deadline END
                ) AS times(seconds)
                WHERE h.name = :host
                """)
            .bind("id", id)
            .bind("grant", grant.id())
            .bind("step", step.name())
            .bind("round", round)
            .bind("run", grant.run())
            .bind("deadline", wanted.deadline().toSeconds())
            .bind("reimage", REIMAGE)
            .bind("installation", BoardTimes.INSTALLATION.toSeconds())
            .bind("facts", Json.writeTree(wanted.facts()))
            .bind("more", Json.writeTree(more))
            .bind("repairs", wanted.repairs())
            .bind("topic", wanted.topic().orElse(""))
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
