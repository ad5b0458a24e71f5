package dev.drydock.orchestrator.preflight;

import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.jobs.BoardTimes;
import dev.drydock.orchestrator.jobs.JobSpec;
import dev.drydock.orchestrator.store.PendingBatches;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.store.Sql;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** The rows of preflights as they are published. What is counted is counted by index. */
final class PreflightRows {
  /** One publisher at a time, whatever the servers. */
  private static final long LOCK = 0x6472_7964_6f63_6b50L;

  private static final String ASKED = "asked whether it could be updated now (preflight)";

  private PreflightRows() {}

  /** A host of a rollout. */
  record Asked(String rollout, String host) {}

  /**
   * What a rollout that runs asks for.
   *
   * @param name of the topic
   * @param room how many more preflights the topic may have
   */
  record Topic(String rollout, String name, int room) {}

  /** Of each rollout that runs. */
  static List<Topic> topics(Handle handle, ServerConfig.Preflight terms) {
    return Sql.list(
        handle,
        Topic.class,
        """
            WITH running AS (
              SELECT id, 'host/' || mode AS topic FROM rollouts WHERE state = 'Running'),
            used AS (
              SELECT t.topic,
                     (SELECT count(*) FROM preflights p
                      WHERE p.topic = t.topic AND p.state IN ('Pending', 'Claimed')) AS open,
                     (SELECT count(*) FROM preflights p
                      JOIN host_upgrades u ON u.rollout = p.rollout AND u.host = p.host
                      WHERE p.topic = t.topic AND p.state = 'Done'
                        AND p.ended_at > clock_timestamp() - interval '5 minutes'
                        AND u.state = 'Pending' AND u.grant_id IS NULL) AS recent
              FROM (SELECT DISTINCT topic FROM running) t)
            SELECT r.id AS rollout, r.topic AS name,
                   LEAST(:open - u.open, :ahead - u.open - u.recent) AS room
            FROM running r JOIN used u USING (topic)
            """,
        Map.of("open", terms.openMax(), "ahead", terms.aheadMax()));
  }

  /** Which of them are to be asked now: they are not being asked, and do not back off. */
  static Set<Asked> due(Handle handle, List<Asked> hosts) {
    return Set.copyOf(
        Sql.list(
            handle,
            Asked.class,
            """
            SELECT u.rollout, u.host FROM unnest(:rollouts, :hosts) AS w (rollout, host)
            JOIN host_upgrades u ON u.rollout = w.rollout AND u.host = w.host
            WHERE (u.ask_at IS NULL OR u.ask_at <= clock_timestamp())
              AND NOT EXISTS (SELECT FROM preflights p
                              WHERE p.rollout = u.rollout AND p.host = u.host
                                AND p.state IN ('Pending', 'Claimed'))
            """,
            Map.of(
                "rollouts", hosts.stream().map(Asked::rollout).toList(),
                "hosts", hosts.stream().map(Asked::host).toList())));
  }

  /** Publishes one for each host that may still be asked; answers for how many. */
  static int publish(Handle handle, Collection<Asked> hosts) {
    if (!Sql.yes(handle, "SELECT pg_try_advisory_xact_lock(:key)", Map.of("key", LOCK))) {
      return 0;
    }
    Map<String, List<String>> byRollout = new HashMap<>();
    hosts.forEach(
        asked ->
            byRollout.computeIfAbsent(asked.rollout(), _ -> new ArrayList<>()).add(asked.host()));
    int published = 0;
    for (Map.Entry<String, List<String>> one : byRollout.entrySet()) {
      published += publish(handle, one.getKey(), one.getValue());
    }
    return published;
  }

  private static int publish(Handle handle, String rollout, List<String> hosts) {
    forget(handle, rollout, hosts);
    List<String> asked =
        Sql.texts(
            handle,
            """
                INSERT INTO preflights (id, rollout, host, round, topic, state, spec)
                SELECT n.id, u.rollout, u.host, n.round, n.topic, 'Pending',
                """
                + JobSpec.OF_HOST
                + """
                       || jsonb_build_object(
                         'id', n.id, 'grant', '', 'rollout', r.id, 'step', 'Preflight',
                         'topic', n.topic, 'round', n.round, 'facts', u.facts,
                         'release', s.spec, 'downgrade', goes_back(r.id) OR u.back_to IS NOT NULL,
                         'deadlineSeconds', CAST(:deadline AS int))
                FROM host_upgrades u
                JOIN rollouts r ON r.id = u.rollout AND r.state = 'Running'
                JOIN hosts h ON h.name = u.host
                JOIN releases s ON s.name = COALESCE(u.back_to, r.release)
                CROSS JOIN LATERAL (
                  SELECT m.round, 'host/' || r.mode AS topic,
                         concat_ws('.', 'pre.Preflight', u.rollout, u.host, m.round) AS id
                  FROM (SELECT COALESCE(max(round), 0) + 1 AS round FROM preflights p
                        WHERE p.rollout = u.rollout AND p.host = u.host) m) n
                WHERE u.rollout = :rollout AND u.host = ANY(:hosts) AND
                """
                + PendingBatches.FREE
                + """
                    ORDER BY array_position(CAST(:hosts AS text[]), u.host)
                    ON CONFLICT DO NOTHING RETURNING host
                    """,
            Map.of(
                "rollout", rollout,
                "hosts", hosts,
                "deadline", BoardTimes.deadline(JobStep.Preflight).toSeconds()));
    tell(handle, rollout, asked);
    return asked.size();
  }

  /** Of what ended before, the last one stays: its result may come in once more. */
  private static void forget(Handle handle, String rollout, List<String> hosts) {
    Sql.update(
        handle,
        """
        DELETE FROM preflights p
        WHERE p.rollout = :rollout AND p.host = ANY(:hosts) AND p.ended_at IS NOT NULL
          AND p.round < (SELECT max(q.round) FROM preflights q
                         WHERE q.rollout = p.rollout AND q.host = p.host)
        """,
        Map.of("rollout", rollout, "hosts", hosts));
  }

  /** A host that may be granted, or was told why it does not pass, goes on saying so. */
  private static void tell(Handle handle, String rollout, List<String> hosts) {
    Sql.update(
        handle,
        """
        UPDATE host_upgrades u SET reason = :reason
        WHERE u.rollout = :rollout AND u.host = ANY(:hosts) AND u.state = 'Pending'
          AND u.grant_id IS NULL AND COALESCE(u.ready_until < clock_timestamp(), true)
          AND u.asked_in_vain = 0 AND u.reason <> :reason
        """,
        Map.of("reason", ASKED, "rollout", rollout, "hosts", hosts));
  }
}
