package dev.drydock.orchestrator.store;

import dev.drydock.api.HostDecision;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.orchestrator.core.model.JobOrder;
import dev.drydock.platform.store.Columns;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.Page;
import dev.drydock.platform.store.PageRequest;
import java.sql.Timestamp;
import java.time.Instant;
import org.jdbi.v3.core.Jdbi;

/**
 * What was decided about hosts, read back from where it was kept at the time: evidence of grants
 * and checks, reasons for which rollouts waited or were refused, the history of locks, and updates
 * by others. Nothing is judged anew. Safe for use by many threads.
 */
public final class HostDecisions {
  /** What the newest Drain of the host was told of whose policies it follows. */
  private static final String DRAIN_TERMS =
      """
      COALESCE((SELECT '; ' || (j.spec->'facts'->>'%s') FROM jobs j
                WHERE j.grant_id = g.id AND j.step = 'Drain' AND j.host = :host
                ORDER BY j.round DESC LIMIT 1), '')
      """
          .formatted(JobOrder.DRAIN_TERMS);

  /**
   * Who did what the lock history tells. A place in the queue and a grant are its holder's, also
   * where the grantor refused; any other change is of the one who made it. A quarantine is written
   * without: the one who broke the lock is in its reason, and a host that nobody had was
   * quarantined by the holder.
   */
  private static final String ACTOR =
      """
      CASE WHEN h.what IN ('Queued', 'Left', 'Granted')
             THEN COALESCE(NULLIF(h.holder, ''), NULLIF(h.by, ''))
           WHEN h.what <> 'Quarantined' THEN NULLIF(h.by, '')
           WHEN starts_with(h.reason, '%1$s')
             THEN split_part(substr(h.reason, length('%1$s') + 1), ' (', 1)
           WHEN h.rollout IS NULL
                AND NOT EXISTS (SELECT FROM lock_history first
                                WHERE first.lock_id = h.lock_id AND first.what = 'Granted')
             THEN NULLIF(h.holder, '')
      END
      """
          .formatted(LockRecord.BROKEN_BY);

  /** A batch is told of by its grant and checks; the history adds only how its lock ended. */
  private static final String DECIDED =
      """
      (SELECT w.at, 'Waiting' AS decision, w.rollout, NULL AS lock, NULL AS by, w.reason,
              '[]'::jsonb AS findings, 0 AS rank
       FROM waiting_reasons w WHERE w.host = :host
       UNION ALL
       SELECT p.ended_at, 'NotTouched', p.rollout, NULL, NULL, p.result->>'message', '[]', 0
       FROM preflights p WHERE p.host = :host AND p.mend = 'People'
        UNION ALL
       -- No rule is looked at while its rollout may not begin hosts.
       SELECT GREATEST(r.created_at, (SELECT max(e.at) FROM events e WHERE e.rollout = r.id
                                        AND e.kind = 'RolloutChanged'
                                        AND e.data->>'state' = r.state)),
              'Waiting', u.rollout, NULL, NULLIF(r.state_by, ''), reason_now(u), '[]', 9
       FROM host_upgrades u JOIN rollouts r ON r.id = u.rollout
       WHERE u.host = :host AND u.state = 'Pending' AND u.grant_id IS NULL
         AND r.state IN ('Paused', 'Scheduled')
       UNION ALL
       SELECT h.at, 'Waiting', w.rollout, NULL, NULL,
              'the fleet is frozen no more, unfrozen by ' || h.by || '; not looked at again yet', '[]', 1
       FROM lock_history h
       CROSS JOIN LATERAL (SELECT w.rollout, w.reason FROM waiting_reasons w
                           WHERE w.host = :host AND w.at <= h.at ORDER BY w.at DESC LIMIT 1) w
       WHERE h.what = 'Unfrozen' AND w.reason LIKE 'the fleet is frozen by %'
       UNION ALL
       SELECT g.created_at, 'Granted', g.rollout, g.id, NULL, g.evidence->>'reason',
              g.evidence->'findings', 1
       FROM grants g WHERE g.hosts @> ARRAY[CAST(:host AS text)] AND g.state <> 'void'
       UNION ALL
       SELECT c.decided_at,
              CASE WHEN c.state = 'Wait' THEN 'TurnedBack' WHEN c.kind = 'open' THEN 'Opened' ELSE 'Confirmed' END,
              g.rollout, g.id, NULL,
             c.evidence->>'reason'
               || CASE WHEN c.kind = 'open' AND c.state <> 'Wait' THEN DRAIN_TERMS ELSE '' END,
             c.evidence->'findings', 2
       FROM grants g JOIN checks c ON c.grant_id = g.id
       WHERE g.hosts @> ARRAY[CAST(:host AS text)] AND c.state <> 'requested'
       UNION ALL
       SELECT d.at, CASE WHEN d.kind = 'LateDrain' THEN 'NotDrained' ELSE 'Asked' END,
              g.rollout, g.id, NULL,
              d.says || CASE WHEN d.asked THEN '; decision ' || d.id ELSE '; ' || d.answer END, '[]', 2
       FROM grants g JOIN decisions d ON d.grant_id = g.id
       WHERE d.hosts @> ARRAY[CAST(:host AS text)] AND (d.asked OR d.kind = 'LateDrain')
       UNION ALL
       SELECT d.answered_at, CASE WHEN d.kind = 'LateDrain' THEN 'NotDrained' ELSE 'Asked' END,
              g.rollout, g.id, d.answered_by,
              'decision ' || d.id || ' was answered ' || d.answer
                || CASE WHEN d.proposed IS DISTINCT FROM d.answer THEN ''
                        ELSE ', asked for by ' || CASE d.proposed_by WHEN 'policy' THEN 'the policies'
                                                  ELSE d.proposed_by END END
                || CASE WHEN d.answer_reason = '' THEN '' ELSE ': ' || d.answer_reason END, '[]', 3
       FROM grants g JOIN decisions d ON d.grant_id = g.id
       WHERE d.hosts @> ARRAY[CAST(:host AS text)] AND d.asked AND d.answer IS NOT NULL
       UNION ALL
       SELECT o.at, 'Overdue', g.rollout, g.id, NULL,
              o.says || CASE WHEN o.phase = 'Drain' THEN DRAIN_TERMS ELSE '' END
                || CASE WHEN o.over_at IS NULL THEN '' ELSE '; over since '
                               || to_char(o.over_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') END,
              '[]', 4
       FROM overdue_phases o JOIN grants g ON g.id = o.grant_id
       WHERE o.host = :host
       UNION ALL
       SELECT j.created_at, 'Remediated', g.rollout, g.id, NULL,
              r.reason || '; remediation: ' || s.action || ' ' || j.state, '[]', 4
       FROM remediations r JOIN grants g ON g.id = r.grant_id
       JOIN remediation_steps s USING (grant_id, host, step) JOIN jobs j ON j.id = s.job
       WHERE r.host = :host
       UNION ALL
       SELECT r.ended_at, 'Remediated', g.rollout, g.id, NULL,
              r.state || ': ' || r.says, '[]', 5
       FROM remediations r JOIN grants g ON g.id = r.grant_id
       WHERE r.host = :host AND r.ended_at IS NOT NULL
       UNION ALL
       SELECT h.at, CASE WHEN h.what = 'Left' AND h.by = 'grantor' THEN 'Refused' ELSE h.what END,
              h.rollout, NULLIF(h.lock_id, ''), ACTOR, h.reason, '[]', 3
       FROM lock_history h
       WHERE h.hosts @> ARRAY[CAST(:host AS text)]
         AND NOT (h.kind = 'Batch' AND h.what IN ('Queued', 'Left', 'Granted', 'Checked'))
       UNION ALL
       SELECT f.before_at, 'ForeignUpdate', NULL, NULL, NULL, f.says, '[]', 4
       FROM foreign_updates f WHERE f.host = :host
       UNION ALL
       SELECT f.at, 'Infeasible', NULL, NULL, f.requester,
              'a rollout to release ' || f.release || ' was refused: ' || f.reason, '[]', 4
       FROM refused_hosts f WHERE f.host = :host) d
      """
          .replace("DRAIN_TERMS", DRAIN_TERMS)
          .replace("ACTOR", ACTOR);

  private static final Columns<HostDecision> DECISIONS =
      Columns.of(HostDecision.class, DECIDED)
          .named("d", "at decision rollout lock by")
          .field("reason", "COALESCE(d.reason, '')")
          .field("findings", "COALESCE(d.findings, '[]')")
          .complete();

  private final Jdbi jdbi;

  public HostDecisions(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** What was decided about the host until then, newest first. */
  public Page<HostDecision> until(
      String host, Instant then, PageRequest pageRequest, FieldMask fieldMask) {
    return DECISIONS
        .select(fieldMask)
        .where("d.at <= :then")
        .orderBy("d.at DESC, d.rank DESC")
        .bind("host", host)
        .bind("then", Timestamp.from(then))
        .page(jdbi, pageRequest);
  }
}
