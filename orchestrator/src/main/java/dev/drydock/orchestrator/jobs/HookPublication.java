package dev.drydock.orchestrator.jobs;

import dev.drydock.api.EventKind;
import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.platform.events.Event;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Puts hooks on the board, as {@link Publication} does with the steps of hosts; and
 *
 * <ol>
 *   <li>one whose last round asked to be asked again: the next, not to be given out before the time
 *       it named, and still with the deadline of the first.
 * </ol>
 */
public final class HookPublication {
  private HookPublication() {}

  /**
   * A Hook or Unhook, inside a transaction that holds the lock of the grant for its run; one that
   * asked to be asked again gets its next round.
   *
   * @param hosts of the batch that are still in it
   * @return how many jobs are new
   */
  public static int publish(
      Handle handle, GrantRow grant, JobStep step, int hook, Collection<String> hosts) {
    Optional<JobRow> last = JobRow.lastOfHook(handle, grant.id(), step, hook);
    if (last.isPresent() && !last.get().ended()) {
      Publication.adopt(handle, grant, last.get());
      return 0;
    }
    boolean waited = last.filter(job -> job.state() == JobState.Waited).isPresent();
    boolean untouched =
        last.filter(job -> job.endedUntouched() && job.run() < grant.run()).isPresent();
    if (last.isPresent() && !waited && !untouched) {
      return 0;
    }
    insert(handle, grant, new Round(step, hook, waited ? last.get().id() : ""), hosts);
    return 1;
  }

  /** Another round of a Hook or Unhook that ended badly. */
  public static void again(
      Handle handle, GrantRow grant, JobStep step, int hook, Collection<String> hosts) {
    JobRow last = JobRow.lastOfHook(handle, grant.id(), step, hook).orElseThrow();
    if (!last.ended()) {
      throw new IllegalStateException("job " + last.id() + " has not ended");
    }
    insert(handle, grant, new Round(step, hook, ""), hosts);
  }

  /** Until when a hook that asked to be asked again is not given out, if that has not come. */
  static Optional<String> wait(Handle handle, JobRow job) {
    return handle
        .createQuery(
            """
            SELECT 'job ' || id || ' asked to be asked again, and not before ' || not_before
            FROM jobs WHERE id = :id AND not_before > clock_timestamp()
            """)
        .bind("id", job.id())
        .mapTo(String.class)
        .findOne();
  }

  /**
   * What is new on the board.
   *
   * @param after the job that asked to be asked again; empty for a fresh start
   */
  private record Round(JobStep step, int hook, String after) {}

  private static void insert(
      Handle handle, GrantRow grant, Round wanted, Collection<String> hosts) {
    Map<String, Object> place =
        handle
            .createQuery(
                """
                SELECT min(host) AS host FROM batch_hooks b, unnest(b.hosts) AS host
                WHERE b.grant_id = :grant AND b.number = :number AND host = ANY(:hosts)
                """)
            .bind("grant", grant.id())
            .bind("number", wanted.hook())
            .bindArray("hosts", String.class, hosts.toArray(new String[0]))
            .mapToMap()
            .one();
    String host = String.valueOf(place.get("host"));
    int round = JobRow.lastRound(handle, grant.id(), host) + 1;
    String id = grant.id() + "." + wanted.step().name() + "." + host + "." + round;
    int inserted =
        handle
            .createUpdate(
                """
                INSERT INTO jobs (id, grant_id, step, host, round, run, topic, state, spec, deadline,
                                  hook, not_before)
                SELECT :id, :grant, :step, h.name, :round, :run, 'hook/' || b.name, 'Pending',
                       jsonb_build_object(
                         'id', :id, 'grant', :grant, 'rollout', r.id, 'step', :step,
                         'topic', 'hook/' || b.name, 'host', h.name, 'address', h.address,
                         'round', :round,
                         'instances', COALESCE(
                           (SELECT jsonb_agg(
                                     jsonb_build_object(
                                       'id', i.id, 'application', i.application, 'zone', i.zone)
                                     ORDER BY i.id)
                            FROM instances i
                            WHERE i.id = ANY(b.instances) AND i.host = ANY(:hosts)), '[]'),
                         'osFamily', COALESCE(h.labels->>'os-family', 'apt'),
                         'deadlineSeconds', b.timeout_seconds,
                         'hook', jsonb_build_object(
                           'name', b.name, 'stage', b.stage, 'scope', b.scope, 'target', b.target,
                           'hosts', ARRAY(SELECT host FROM unnest(b.hosts) AS host
                                          WHERE host = ANY(:hosts) ORDER BY host),
                           'policy', b.policy, 'policyVersion', b.policy_version, 'team', b.team,
                           'order', b.ordinal, 'params', b.params, 'intent', 'RestartKeepData')
                         || CASE WHEN COALESCE(p.state, b.state) IS NULL THEN '{}'
                                 ELSE jsonb_build_object('state', COALESCE(p.state, b.state)) END,
                         'createdAt',
                           CAST(extract(epoch FROM transaction_timestamp()) * 1000 AS bigint)),
                       COALESCE(
                         l.deadline,
                         clock_timestamp() + make_interval(secs => b.timeout_seconds)),
                       b.number,
                       l.ended_at + make_interval(
                         secs => CAST(l.result->>'retryAfterSeconds' AS int))
                FROM batch_hooks b
                JOIN hosts h ON h.name = :host
                JOIN rollouts r ON r.id = :rollout
                LEFT JOIN batch_hooks p ON p.grant_id = b.grant_id AND p.number = b.pre
                LEFT JOIN jobs l ON l.id = :after
                WHERE b.grant_id = :grant AND b.number = :number
                """)
            .bind("id", id)
            .bind("grant", grant.id())
            .bind("step", wanted.step().name())
            .bind("round", round)
            .bind("run", grant.run())
            .bind("host", host)
            .bindArray("hosts", String.class, hosts.toArray(new String[0]))
            .bind("rollout", grant.rollout())
            .bind("number", wanted.hook())
            .bind("after", wanted.after())
            .execute();
    if (inserted != 1) {
      throw new IllegalStateException(
          "hook %d of grant %s has no host in the batch".formatted(wanted.hook(), grant.id()));
    }
    Event.ofHost(EventKind.JobPublished, grant.rollout(), host, Map.of("job", id)).append(handle);
  }
}
