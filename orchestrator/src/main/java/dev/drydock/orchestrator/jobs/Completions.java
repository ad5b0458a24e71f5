package dev.drydock.orchestrator.jobs;

import dev.drydock.api.EventKind;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.jobs.CompletionResult.Reason;
import dev.drydock.orchestrator.report.HostFacts;
import dev.drydock.orchestrator.store.BatchAdvancer;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.identity.AuditTrail;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.store.Sql;
import dev.drydock.proto.Json;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Keeps the result of a job in the caller's one transaction: row, facts, observations and event,
 * and what its batch does then.
 */
final class Completions {
  private static final HostFacts FACTS = new HostFacts();

  /**
   * A result as it was sent.
   *
   * @param claim secret of the claim it is sent under
   * @param principal its sender
   */
  record Sent(String job, String claim, JobReport report, Principal principal) {}

  CompletionResult complete(Handle handle, Sent sent, BatchAdvancer.Move move) {
    String jobId = sent.job();
    JobReport report = sent.report();
    Optional<JobRow> found = JobRow.find(handle, jobId, JobRow.Lock.WAIT);
    if (found.isEmpty()) {
      return new CompletionResult.Refused(Reason.UNKNOWN_JOB, "there is no job " + jobId);
    }
    JobRow job = found.get();
    if (!job.claim().equals(Optional.of(sent.claim()))) {
      return new CompletionResult.Refused(
          Reason.CLAIM_LOST,
          "this claim of job "
              + jobId
              + " is not the current one; the job is "
              + job.state()
              + " in attempt "
              + job.attempt());
    }
    if (job.ended()) {
      return repeated(handle, job, report);
    }
    Optional<String> fault =
        HookAnswer.fault(handle, job, report).or(() -> ReadBack.fault(handle, job, report));
    if (fault.isPresent()) {
      return new CompletionResult.Refused(Reason.INVALID_RESULT, fault.get());
    }
    Optional<InventoryMismatch> objection = objection(handle, job, report);
    JobState state = objection.isPresent() ? JobState.Failed : stateOf(report.outcome());
    store(handle, job, report, state, objection);
    report.left().ifPresent(left -> DrainProgress.note(handle, job.id(), left));
    if (objection.isEmpty()) {
      // Instances before hosts, as reports write them: the other order would dead-lock with those.
      report.mark().ifPresent(mark -> ReadBack.store(handle, job, report.json(), mark));
    }
    HookAnswer.keep(handle, job, report);
    markEffect(handle, job, report);
    Map<String, Object> detail =
        Map.of(
            "job", job.id(),
            "attempt", job.attempt(),
            "message", objection.map(InventoryMismatch::reason).orElse(report.message()));
    AuditTrail.record(
        handle,
        sent.principal(),
        "job.complete",
        "job/" + job.id(),
        NewEvent.ofHost(EventKind.valueOf("Job" + state), job.rollout(), job.host(), detail));
    // The grant is locked only now: results of one batch are written side by side, and the last of
    // them sees the others. A transaction that holds that lock waits for no claimed job.
    GrantRow grant = GrantRow.lock(handle, job.grant());
    if (state != JobState.Done || !othersFirst(handle, grant, job)) {
      move.moved(handle, grant.id(), job.id());
    }
    return new CompletionResult.Accepted(false);
  }

  /**
   * Whether nothing follows a job that is done before others of its step have ended. What a
   * remediation waits for, a hook, or a host that goes back goes on by itself.
   */
  private static boolean othersFirst(Handle handle, GrantRow grant, JobRow job) {
    return job.hook() == 0
        && grant.reclaim().isEmpty()
        && grant.undo().isEmpty()
        && Sql.yes(
            handle,
            """
            SELECT EXISTS (
              SELECT FROM jobs done
              JOIN jobs other ON other.grant_id = done.grant_id AND other.step = done.step
                AND other.id <> done.id AND other.state IN ('Pending', 'Claimed')
                AND NOT other.repairs
              WHERE done.id = :id AND NOT done.repairs)
            """,
            Map.of("id", job.id()));
  }

  private static Optional<InventoryMismatch> objection(
      Handle handle, JobRow job, JobReport report) {
    return job.step() == JobStep.Cordon && report.outcome() == JobOutcome.Done
        ? InventoryMismatch.toCordon(handle, job, report)
        : Optional.empty();
  }

  /** The answer to the first sending was lost: the same result is welcome again, another is not. */
  private static CompletionResult repeated(Handle handle, JobRow job, JobReport report) {
    boolean same =
        Sql.yes(
            handle,
            """
            SELECT COALESCE(result - 'objection' = CAST(:result AS jsonb), false)
            FROM jobs WHERE id = :id
            """,
            Map.of("result", report.json(), "id", job.id()));
    return same
        ? new CompletionResult.Accepted(true)
        : new CompletionResult.Refused(
            Reason.RESULT_DIFFERS, "job " + job.id() + " ended as " + job.state() + " already");
  }

  private static void store(
      Handle handle,
      JobRow job,
      JobReport report,
      JobState state,
      Optional<InventoryMismatch> objection) {
    Sql.update(
        handle,
        """
        UPDATE jobs
        SET state = :state, result = CAST(:result AS jsonb) || CAST(:objection AS jsonb),
            ended_at = clock_timestamp(), lease_until = NULL
        WHERE id = :id
        """,
        Map.of(
            "state", state.name(),
            "objection", Json.writeTree(objection.map(InventoryMismatch::tree).orElse(Map.of())),
            "result", report.json(),
            "id", job.id()));
    if (!report.facts().isEmpty()) {
      keepFacts(handle, job, report);
    }
  }

  private static void keepFacts(Handle handle, JobRow job, JobReport report) {
    Sql.update(
        handle,
        """
        UPDATE host_upgrades
        SET facts = facts || (COALESCE(CAST(:result AS jsonb)->'facts', '{}')
                              - 'packagesBefore' - 'packagesAfter')
        WHERE grant_id = :grant AND host = :host
        """,
        Map.of("result", report.json(), "grant", job.grant(), "host", job.host()));
    FACTS.keep(handle, job.rollout(), job.host(), report.facts());
  }

  /** What the step did to the host makes every earlier observation void, whatever came of it. */
  private static void markEffect(Handle handle, JobRow job, JobReport report) {
    boolean verified = job.step() == JobStep.Recover && report.outcome() == JobOutcome.Done;
    if (verified) {
      EffectMarks.effect(handle, job.host(), report.mark().orElseThrow());
    } else if (job.step() == JobStep.Drain
        || job.step() == JobStep.Update
        || job.step() == JobStep.Repair
        || job.step() == JobStep.Recover) {
      EffectMarks.effectNow(handle, job.host());
    }
  }

  private static JobState stateOf(JobOutcome outcome) {
    return switch (outcome) {
      case Done -> JobState.Done;
      case Failed -> JobState.Failed;
      case Unknown -> JobState.Unknown;
      case Wait -> JobState.Waited;
      case Veto -> JobState.Vetoed;
      case $UNKNOWN -> throw new IllegalArgumentException("unknown outcome");
    };
  }
}
