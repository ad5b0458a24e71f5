package dev.drydock.orchestrator.preflight;

import dev.drydock.api.EventKind;
import dev.drydock.lock.core.Ticket;
import dev.drydock.orchestrator.jobs.WantedPreflights;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.store.Sql;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * What becomes of preflights and of hosts that wait for one, by time and by what happened
 * elsewhere. Each duty is one transaction and may be repeated. Safe for use by many threads.
 */
final class PreflightSweep {
  private static final int AT_ONCE = 100;
  private static final Duration UNCLAIMED = Duration.ofSeconds(30);

  private final ServerConfig.Preflight terms;
  private final PreflightOutcomes outcomes;

  PreflightSweep(ServerConfig.Preflight terms, PreflightOutcomes outcomes) {
    this.terms = terms;
    this.outcomes = outcomes;
  }

  /**
   * Takes preflights off the board: their rollouts were paused or aborted, their hosts were granted
   * or left.
   *
   * @param all whether nothing is wanted at all
   */
  int withdraw(Handle handle, boolean all) {
    return Sql.update(
        handle,
        """
        UPDATE preflights p
        SET state = 'Cancelled', ended_at = clock_timestamp(), claim = NULL, lease_until = NULL
        WHERE state IN ('Pending', 'Claimed') AND (:all OR NOT
        """
            + WantedPreflights.CONDITION
            + ")",
        Map.of("all", all));
  }

  /** One that ended so. */
  private record Late(String id, String rollout, String host, int attempt, long minutes) {}

  /** Those that were begun and not ended in time: their hosts are asked again later. */
  int late(Handle handle) {
    List<Late> late =
        Sql.list(
            handle,
            Late.class,
            """
            UPDATE preflights
            SET state = 'Expired', mend = 'Time', cause = 'late', ended_at = clock_timestamp(),
                claim = NULL, lease_until = NULL
            WHERE id IN (
              SELECT id FROM preflights
              WHERE state IN ('Pending', 'Claimed') AND deadline < clock_timestamp()
              ORDER BY id LIMIT :limit FOR UPDATE SKIP LOCKED)
            RETURNING id, rollout, host, attempt,
                      CAST(spec->>'deadlineSeconds' AS int) / 60 AS minutes
            """,
            Map.of("limit", AT_ONCE));
    for (Late one : late) {
      PreflightResult result =
          PreflightResult.late(
              "its preflight did not end within %d minutes in %d attempts; it is asked again"
                  .formatted(one.minutes(), one.attempt()));
      NewEvent.ofHost(
              EventKind.PreflightFailed,
              one.rollout(),
              one.host(),
              result.told(one.id(), one.attempt()))
          .append(handle);
      outcomes.ended(handle, one.rollout(), one.host(), result);
    }
    return late.size();
  }

  /** Hosts whose pass is too old wait for another; the grantor does not take them already. */
  int stale(Handle handle) {
    return Sql.update(
        handle,
        """
        UPDATE host_upgrades SET ready_until = NULL, reason = :reason
        WHERE ready_until < clock_timestamp() AND state = 'Pending' AND grant_id IS NULL
        """,
        Map.of(
            "reason",
            "passed its preflight more than %d minutes ago, and is asked again before it is granted"
                .formatted(terms.valid().toMinutes())));
  }

  /** Hosts of a topic that nobody claims from are told so. */
  int unclaimed(Handle handle) {
    return Sql.update(
        handle,
        """
        UPDATE host_upgrades u SET reason = w.reason
        FROM (SELECT p.rollout, p.host,
                     'nobody claims from ' || p.topic || ': its preflight waits for a consumer since '
                       || to_char(p.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
                       || '; until then nothing of this topic is granted' AS reason
              FROM preflights p
              WHERE p.state = 'Pending' AND p.attempt = 0
                AND p.created_at < clock_timestamp() - make_interval(secs => :patience)
                AND NOT EXISTS (SELECT FROM preflights q
                                WHERE q.topic = p.topic AND q.state = 'Claimed')
                AND NOT EXISTS (SELECT FROM preflights q
                                WHERE q.topic = p.topic AND q.state <> 'Cancelled'
                                  AND q.ended_at > clock_timestamp() - make_interval(secs => :patience))
             ) w
        WHERE u.rollout = w.rollout AND u.host = w.host AND u.state = 'Pending'
          AND u.grant_id IS NULL AND COALESCE(u.ready_until < clock_timestamp(), true)
          AND u.reason <> w.reason
        """,
        Map.of("patience", UNCLAIMED.toSeconds()));
  }

  /**
   * Keeps the places of hosts that are not offered to the grantor, which takes their tickets out of
   * the queue after a while: before that the age of the ticket becomes that of its hosts (protocol
   * P3), as for a rollout that is paused.
   */
  int keepPlaces(Handle handle, Collection<Ticket> tickets) {
    List<String> rollouts = new ArrayList<>();
    List<String> hosts = new ArrayList<>();
    List<Long> revisions = new ArrayList<>();
    List<Integer> indexes = new ArrayList<>();
    for (Ticket ticket : tickets) {
      for (String host : ticket.rollout().isPresent() ? ticket.hosts() : List.<String>of()) {
        rollouts.add(ticket.rollout().orElseThrow());
        hosts.add(host);
        revisions.add(ticket.seniority().revision());
        indexes.add(ticket.seniority().index());
      }
    }
    if (hosts.isEmpty()) {
      return 0;
    }
    return handle
        .createUpdate(
            """
            UPDATE host_upgrades u
            SET seniority_revision = w.revision, seniority_index = w.index
            FROM unnest(:rollouts, :hosts, :revisions, :indexes) AS w (rollout, host, revision, index)
            WHERE u.rollout = w.rollout AND u.host = w.host AND u.state = 'Pending'
              AND u.grant_id IS NULL AND u.seniority_revision IS NULL
              AND COALESCE(u.ready_until < clock_timestamp(), true)
            """)
        .bindArray("rollouts", String.class, rollouts)
        .bindArray("hosts", String.class, hosts)
        .bindArray("revisions", Long.class, revisions)
        .bindArray("indexes", Integer.class, indexes)
        .execute();
  }
}
