package dev.drydock.orchestrator.batch;

import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.testkit.Fleet;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** The rows of a batch that has something of everything. {@link FullSnapshot} is read of them. */
final class FullBatch {
  /** The host with an open remediation, which was diagnosed. */
  static final String REPAIRED = "h1";

  /** When everything happened. */
  static final Instant AT = Instant.parse("2026-01-02T03:04:05Z");

  /** What policies let be tried on its hosts. */
  static final Ladder LADDER =
      new Ladder(
          List.of(Rung.RETRY_STEP, Rung.REIMAGE), Set.of(Rung.REIMAGE), Set.of(Rung.REIMAGE));

  private final Fleet fleet;
  private final String grant;

  /** A batch of h1, h2 and h3, the last one quarantined. */
  FullBatch(Fleet fleet) {
    this.fleet = fleet;
    fleet.ladder = LADDER;
    fleet.host("h1");
    fleet.instance("ads", "h1");
    fleet.host("h2");
    fleet.host("h3");
    fleet.rollout("r", "h1", "h2", "h3");
    this.grant = fleet.grant("r", "h1", "h2", "h3");
    standing();
    jobs();
    checksAndHooks();
    answers();
    remediations();
  }

  String grant() {
    return grant;
  }

  /** The job that diagnosed the host in repair. */
  String diagnosis() {
    return grant + ".Repair.h1.3";
  }

  private void execute(String sql) {
    fleet.execute(sql.replace(":grant", "'" + grant + "'").replace(":at", "'" + AT + "'"));
  }

  private void standing() {
    execute(
        """
        INSERT INTO releases (name, spec, created_by)
        SELECT '1', spec, created_by FROM releases WHERE name = '2'
        """);
    execute("UPDATE rollouts SET state = 'Aborting', state_by = 'sre', state_reason = 'wrong one'");
    execute(
        """
        UPDATE grants SET run = 2, stage = 'open', abort = true, reclaim = 'its run was lost',
          blind = true, hooked = true, on_host_failure = 'Ask', undo = 'Requeued', undo_reason = 'few up'
        WHERE id = :grant
        """);
    execute(
        """
        UPDATE host_upgrades SET step = 'Update', reason = 'waits', release_before = '1', back_to = '1',
          condemned = 'it is broken'
        WHERE host = 'h1'
        """);
    execute("UPDATE host_upgrades SET release_before = '2', read_first = true WHERE host = 'h2'");
    execute("UPDATE host_upgrades SET state = 'Quarantined' WHERE host = 'h3'");
  }

  private void checksAndHooks() {
    execute(
        """
        INSERT INTO checks (grant_id, kind, round, run, state, evidence, created_at) VALUES
          (:grant, 'confirm', 1, 1, 'Grant', '{"reason": "enough up"}', :at),
          (:grant, 'open', 1, 1, 'Wait', '{"reason": "too few up"}', :at),
          (:grant, 'open', 2, 1, 'requested', NULL, :at)
        """);
  }

  private void jobs() {
    execute(
        """
        INSERT INTO batch_hooks VALUES
          (:grant, 1, 'move', 'BeforeUndeploy', 'Host', 'h1', '{h1}', '{web@h1,ads@h1}', 7, 'web', 3,
           'web-team', '{"rate": "5"}', 1800, NULL, NULL),
          (:grant, 2, 'back', 'AfterDeploy', 'Batch', :grant, '{h1,h2}', '{web@h1,web@h2}', 7, 'web', 3,
           'web-team', '{}', 60, 1, 'handed over')
        """);
    execute(
        """
        INSERT INTO jobs (id, grant_id, step, host, round, run, topic, state, attempt, spec, result,
          deadline, created_at, ended_at, hook, left_first, left_least, left_now, left_what, left_fell_at)
        VALUES
          (:grant || '.Drain.h1.1', :grant, 'Drain', 'h1', 1, 1, 'scheduler/static', 'Claimed', 2, '{}',
           NULL, :at, :at, NULL, NULL, 9, 2, 3, 'shards', :at),
          (:grant || '.Cordon.h2.1', :grant, 'Cordon', 'h2', 1, 1, 'scheduler/static', 'Failed', 1, '{}',
           '{"message": "done", "objection": {"reason": "one is new", "hold": true},
             "begun": false, "mend": "Time", "cause": "placement"}', :at, :at, :at,
           NULL, NULL, NULL, NULL, NULL, NULL),
          (:grant || '.Hook.h1.2', :grant, 'Hook', 'h1', 2, 1, 'hook/move', 'Waited', 1, '{}',
           '{"message": "later"}', :at, :at, :at, 1, NULL, NULL, NULL, NULL, NULL),
          (:grant || '.Repair.h1.3', :grant, 'Repair', 'h1', 3, 2, 'host/PackageUpdate', 'Done', 1,
           '{"repair": "Diagnose"}',
           '{"message": "disk full", "facts": {"diagnosis.signature": "disk-full"}}', :at, :at, :at,
           NULL, NULL, NULL, NULL, NULL, NULL)
        """);
  }

  private void answers() {
    execute(
        """
        INSERT INTO decisions (id, grant_id, number, kind, step, jobs, hosts, reasons, says, facts,
          goes_back, asked, remind_seconds, remind_at, expires_at, answer, answered_by, answer_reason,
          answered_at, open_round)
        VALUES
          (:grant || '.1', :grant, 1, 'BlockedBatch', 'Update', '{a,b}', '{h1,h2}', '{"h1": "x", "h2": "y"}',
           'x; and 1 other host', '{}', false, true, NULL, NULL, NULL, 'GoOn', 'ann', 'known', :at, 1),
          (:grant || '.2', :grant, 2, 'BlockedBatch', 'Health', '{c}', '{h2}', '{"h2": "z"}', 'z', '{}', true,
           true, NULL, NULL, NULL, NULL, NULL, '', NULL, NULL),
          (:grant || '.3', :grant, 3, 'LateDrain', 'Drain', '{d}', '{h1}', '{"h1": "late"}', 'late',
           '{"onTimeout": "Ask", "pace": "Stuck"}', false, true, 600, :at, :at, 'Requeue', 'drydock',
           'nobody answered in time', :at, 1),
          (:grant || '.4', :grant, 4, 'RepairApproval', 'Update', '{}', '{h1}', '{"h1": "full"}', 'full',
           '{"action": "RetryStep", "found": "disk full"}', false, true, 3600, :at, :at, 'Refuse', 'ann', '',
           :at, 1),
          (:grant || '.5', :grant, 5, 'RepairApproval', 'Update', '{}', '{h1}', '{"h1": "full"}', 'full',
           '{"action": "Reimage", "found": "disk full"}', false, true, 3600, :at, :at, NULL, NULL, '', NULL,
           NULL)
        """);
  }

  private void remediations() {
    execute(
        """
        INSERT INTO remediations (grant_id, host, step, reason, ladder, approve, on_unknown, began_at,
          state, says, ended_at, signature, went_back)
        VALUES
          (:grant, 'h2', 'Health', 'unwell', '{RollBack}', '{}', '{}', :at, 'Resumed', 'RollBack helped', :at,
           '', true),
          (:grant, 'h1', 'Update', 'failed', '{RetryStep,Reimage}', '{Reimage}', '{Reimage}',
           CAST(:at AS timestamptz) + interval '1 s', 'Open', '', NULL, '', false)
        """);
    execute(
        """
        INSERT INTO remediation_steps (grant_id, host, step, number, action, rung, job) VALUES
          (:grant, 'h1', 'Update', 1, 'RetryStep', 0, :grant || '.Hook.h1.2'),
          (:grant, 'h1', 'Update', 2, 'Diagnose', NULL, :grant || '.Repair.h1.3')
        """);
  }

  /**
   * One remediation goes on, another one with the same signature was in vain, and one helped the
   * host itself.
   */
  void remediatedElsewhere() {
    fleet.host("h4");
    fleet.host("h5");
    execute(
        """
        INSERT INTO grants (id, rollout, hosts, state, epoch, beat, evidence)
        VALUES ('other', 'r', '{h1,h4,h5}', 'ended', 0, 0, '{}')
        """);
    execute(
        """
        INSERT INTO remediations (grant_id, host, step, reason, ladder, state, signature, ended_at)
        VALUES ('other', 'h4', 'Update', 'failed', '{RetryStep}', 'Exhausted', 'disk-full', clock_timestamp()),
               ('other', 'h1', 'Update', 'failed', '{RetryStep}', 'Resumed', 'disk-full', clock_timestamp()),
               ('other', 'h5', 'Update', 'failed', '{CleanDisk}', 'Open', '', NULL)
        """);
    execute(
        """
        INSERT INTO jobs (id, grant_id, step, host, round, run, topic, state, spec, deadline)
        VALUES ('other.Repair.h5.1', 'other', 'Repair', 'h5', 1, 1, 'host/CleanDisk', 'Pending', '{}', :at)
        """);
    execute(
        "INSERT INTO remediation_steps VALUES ('other', 'h5', 'Update', 1, 'CleanDisk', 0,"
            + " 'other.Repair.h5.1')");
  }

  /** Each host of a batch was diagnosed after its Update failed. */
  static void diagnosed(Fleet fleet, String grant) {
    fleet.execute(
        """
        INSERT INTO jobs (id, grant_id, step, host, round, run, topic, state, attempt, spec, result, deadline)
        SELECT u.grant_id || '.Repair.' || u.host || '.1', u.grant_id, 'Repair', u.host, 1, 1,
               'host/PackageUpdate', 'Done', 1, '{"repair": "Diagnose"}',
               '{"message": "disk full", "facts": {"diagnosis.signature": "disk-full"}}',
               clock_timestamp()
        FROM host_upgrades u WHERE u.grant_id = '%s'
        """
            .formatted(grant));
    fleet.execute(
        """
        INSERT INTO remediations (grant_id, host, step, reason, ladder)
        SELECT grant_id, host, 'Update', 'failed', '{RetryStep}' FROM jobs WHERE grant_id = '%s'
        """
            .formatted(grant));
    fleet.execute(
        """
        INSERT INTO remediation_steps (grant_id, host, step, number, action, job)
        SELECT grant_id, host, 'Update', 1, 'Diagnose', id FROM jobs WHERE grant_id = '%s'
        """
            .formatted(grant));
  }

  /** Nothing helped a host in any of its batches that ended before. */
  static void nothingHelpedInOldBatches(Fleet fleet, String host) {
    fleet.execute(
        """
        INSERT INTO remediations (grant_id, host, step, reason, ladder, state, signature, ended_at)
        SELECT id, '%s', 'Update', 'failed', '{RetryStep}', 'Exhausted', 'x', clock_timestamp()
        FROM grants WHERE state = 'ended'
        """
            .formatted(host));
  }
}
