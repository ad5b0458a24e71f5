package dev.drydock.orchestrator.batch;

import dev.drydock.api.EventKind;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.core.model.JobOrder;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.jobs.BoardTimes;
import dev.drydock.orchestrator.jobs.JobSpec;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.proto.Json;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Puts jobs on the board and takes them off. Only the Update of a revert, of the retry of a revert,
 * or of a host that is taken back, says that packages may go to older versions.
 */
final class JobWriter {
  private static final String REIMAGE = "host/Reimage";

  private final Handle handle;
  private final GrantRow grant;

  JobWriter(Handle handle, GrantRow grant) {
    this.handle = handle;
    this.grant = grant;
  }

  void publish(JobOrder order) {
    if (order.hook() > 0) {
      insertHook(order);
    } else {
      insert(order);
    }
    if (order.step().shown()) {
      handle
          .createUpdate(
              "UPDATE host_upgrades SET step = :step WHERE grant_id = :grant AND host = :host")
          .bind("step", order.step().word())
          .bind("grant", grant.id())
          .bind("host", order.host())
          .execute();
    }
    NewEvent.ofHost(
            EventKind.JobPublished, grant.rollout(), order.host(), Map.of("job", order.id()))
        .append(handle);
  }

  private void insert(JobOrder order) {
    int inserted =
        handle
            .createUpdate(
                """
                INSERT INTO jobs (id, grant_id, step, host, round, run, topic, repairs, state, spec, deadline)
                SELECT :id, :grant, :step, h.name, :round, :run, :topic, :repairs, 'Pending',
                """
                    + JobSpec.OF_HOST
                    + """
                       || jsonb_build_object(
                         'id', :id, 'grant', :grant, 'rollout', r.id, 'step', :step, 'topic', :topic,
                         'round', :round, 'facts', u.facts || CAST(:facts AS jsonb),
                         'deadlineSeconds', CAST(:deadline AS int))
                       || CASE WHEN :onHost THEN jsonb_build_object('release', s.spec) ELSE '{}' END
                       || CAST(:more AS jsonb),
                       clock_timestamp() + make_interval(secs => :deadline)
                FROM hosts h
                JOIN rollouts r ON r.id = :rollout
                JOIN host_upgrades u ON u.rollout = r.id AND u.host = h.name
                JOIN releases s ON s.name = COALESCE(u.back_to, r.release)
                WHERE h.name = :host
                """)
            .bind("id", order.id())
            .bind("grant", grant.id())
            .bind("step", order.step().word())
            .bind("round", order.round())
            .bind("run", grant.run())
            .bind("topic", order.topic())
            .bind("repairs", order.repairs())
            .bind("facts", Json.writeTree(order.facts()))
            .bind("deadline", deadline(order).toSeconds())
            .bind("onHost", order.step().onHost())
            .bind("more", Json.writeTree(more(order)))
            .bind("rollout", grant.rollout())
            .bind("host", order.host())
            .execute();
    if (inserted != 1) {
      throw new IllegalStateException(
          "host " + order.host() + " is not part of rollout " + grant.rollout());
    }
  }

  private static Duration deadline(JobOrder order) {
    if (order.step() == Step.UPDATE && order.topic().equals(REIMAGE)) {
      return BoardTimes.INSTALLATION;
    }
    return order
        .drainMax()
        .map(BoardTimes::drainDeadline)
        .orElseGet(() -> BoardTimes.deadline(JobStep.valueOf(order.step().word())));
  }

  /** What a job says beside what all jobs say. */
  private Map<String, Object> more(JobOrder order) {
    Map<String, Object> more = new HashMap<>();
    order.drainMax().ifPresent(max -> more.put("drainSecondsMax", max.toSeconds()));
    order.repair().ifPresent(action -> more.put("repair", action));
    if (order.force()) {
      more.put("force", true);
    }
    if (order.step() == Step.UPDATE) {
      more.put("downgrade", downgrades(order.host()));
    }
    return more;
  }

  /** Whether packages may go to older versions. */
  private boolean downgrades(String host) {
    return handle
        .createQuery(
            """
            SELECT goes_back(:rollout)
                   OR EXISTS (SELECT FROM host_upgrades
                              WHERE grant_id = :grant AND host = :host AND back_to IS NOT NULL)
            """)
        .bind("rollout", grant.rollout())
        .bind("grant", grant.id())
        .bind("host", host)
        .mapTo(Boolean.class)
        .one();
  }

  private void insertHook(JobOrder order) {
    int inserted =
        handle
            .createUpdate(
                """
                INSERT INTO jobs (id, grant_id, step, host, round, run, topic, state, spec, deadline,
                                  hook, not_before)
                SELECT :id, :grant, :step, h.name, :round, :run, :topic, 'Pending',
                       jsonb_build_object(
                         'id', :id, 'grant', :grant, 'rollout', r.id, 'step', :step,
                         'topic', :topic, 'host', h.name, 'address', h.address,
                         'round', :round,
                         'instances', COALESCE(
                           (SELECT jsonb_agg(
                                     jsonb_build_object(
                                       'id', i.id, 'application', i.application, 'zone', i.zone)
                                     ORDER BY i.id)
                            FROM instances i
                            WHERE i.id = ANY(b.instances) AND i.host = ANY(:about)), '[]'),
                         'osFamily', COALESCE(h.labels->>'os-family', 'apt'),
                         'deadlineSeconds', b.timeout_seconds,
                         'hook', jsonb_build_object(
                           'name', b.name, 'stage', b.stage, 'scope', b.scope, 'target', b.target,
                           'hosts', CAST(:about AS text[]),
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
            .bind("id", order.id())
            .bind("grant", grant.id())
            .bind("step", order.step().word())
            .bind("round", order.round())
            .bind("run", grant.run())
            .bind("topic", order.topic())
            .bindArray("about", String.class, order.about())
            .bind("after", order.after().orElse(""))
            .bind("number", order.hook())
            .bind("rollout", grant.rollout())
            .bind("host", order.host())
            .execute();
    if (inserted != 1) {
      throw new IllegalStateException(
          "hook %d of grant %s has no host in the batch".formatted(order.hook(), grant.id()));
    }
  }

  /** A job that has not ended belongs to the run that works the grant now. */
  void adopt(String job) {
    handle
        .createUpdate("UPDATE jobs SET run = :run WHERE id = :id AND run <> :run")
        .bind("run", grant.run())
        .bind("id", job)
        .execute();
  }

  /** Of jobs that somebody claimed meanwhile nothing changes. */
  void cancel(List<String> jobs) {
    handle
        .createUpdate(
            """
            UPDATE jobs SET state = 'Cancelled', ended_at = clock_timestamp()
            WHERE id = ANY(:jobs) AND state = 'Pending'
            """)
        .bindArray("jobs", String.class, jobs)
        .execute();
  }
}
