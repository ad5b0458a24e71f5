package dev.drydock.orchestrator.preflight;

import dev.drydock.api.EventKind;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.jobs.BoardTimes;
import dev.drydock.orchestrator.jobs.ClaimResult;
import dev.drydock.orchestrator.jobs.ClaimSecret;
import dev.drydock.orchestrator.jobs.CompletionResult;
import dev.drydock.orchestrator.jobs.HealthChecks;
import dev.drydock.orchestrator.jobs.JobReport;
import dev.drydock.orchestrator.jobs.UngrantedJobs;
import dev.drydock.orchestrator.jobs.WantedPreflights;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.identity.AuditTrail;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.store.Sql;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jdbi.v3.core.Handle;

/**
 * The board's jobs of kind Preflight. They change nothing that anybody counts on, so a claim that
 * fell silent is given on when its lease is over, without a margin, and one that is not wanted any
 * more is lost at once. Safe for use by many threads.
 */
public final class Preflights implements UngrantedJobs {
  private static final String PREFIX = "pre.";

  private final BoardTimes times;
  private final HealthChecks checks;
  private final PreflightOutcomes outcomes;

  /**
   * Preflights.
   *
   * @param checks asked at a claim, so that the host is judged by what policies want then
   * @param outcomes what becomes of a host
   */
  public Preflights(BoardTimes times, HealthChecks checks, PreflightOutcomes outcomes) {
    this.times = times;
    this.checks = checks;
    this.outcomes = outcomes;
  }

  @Override
  public JobStep step() {
    return JobStep.Preflight;
  }

  @Override
  public boolean owns(String job) {
    return job.startsWith(PREFIX);
  }

  /**
   * A preflight as its row says.
   *
   * @param free whether somebody may claim it
   * @param wanted whether its host could still be granted next
   */
  private record Row(
      String id,
      String rollout,
      String host,
      String topic,
      long round,
      JobState state,
      int attempt,
      String claim,
      boolean free,
      boolean overdue,
      boolean wanted) {

    boolean ended() {
      return state != JobState.Pending && state != JobState.Claimed;
    }
  }

  private static Optional<Row> lock(Handle handle, String id) {
    return Sql.find(
        handle,
        Row.class,
        """
        SELECT id, rollout, host, topic, round, state, attempt, COALESCE(claim, '') AS claim,
               state = 'Pending'
                 OR (state = 'Claimed' AND lease_until < clock_timestamp()) AS free,
               COALESCE(deadline <= clock_timestamp(), false) AS overdue,
        """
            + WantedPreflights.CONDITION
            + " AS wanted FROM preflights p WHERE id = :id FOR UPDATE",
        Map.of("id", id));
  }

  @Override
  public ClaimResult claim(Handle handle, String id, String consumer, Principal principal) {
    Optional<Row> found = lock(handle, id);
    if (found.isEmpty()) {
      return new ClaimResult.Refused(ClaimResult.Reason.UNKNOWN_JOB, "there is no job " + id);
    }
    Row row = found.get();
    if (!principal.consumes(row.topic())) {
      return new ClaimResult.Refused(
          ClaimResult.Reason.TOPIC_NOT_YOURS,
          principal.name() + " does not consume topic " + row.topic());
    }
    if (!row.free() || !row.wanted()) {
      return new ClaimResult.Refused(
          ClaimResult.Reason.JOB_NOT_PENDING,
          "job " + id + " is " + (row.free() ? "not wanted any more" : row.state()));
    }
    if (row.overdue()) {
      return new ClaimResult.Refused(
          ClaimResult.Reason.DEADLINE_PASSED, "the deadline of job " + id + " has passed");
    }
    return take(handle, row, consumer, principal);
  }

  private ClaimResult take(Handle handle, Row row, String consumer, Principal principal) {
    String claim = ClaimSecret.next();
    String job =
        Sql.one(
            handle,
            String.class,
            """
            UPDATE preflights
            SET state = 'Claimed', attempt = attempt + 1, consumer = :consumer, claim = :claim,
                lease_until = clock_timestamp() + make_interval(secs => :lease),
                deadline = COALESCE(deadline, clock_timestamp() + make_interval(
                             secs => CAST(spec->>'deadlineSeconds' AS int)))
            WHERE id = :id
            RETURNING spec || jsonb_build_object(
                'state', state, 'attempt', attempt,
                'secondsLeft', CAST(extract(epoch FROM deadline - clock_timestamp()) AS int),
                'checks', CAST(:checks AS text[]))
            """,
            Map.of(
                "consumer", consumer,
                "claim", claim,
                "lease", times.lease().toSeconds(),
                "checks", checks.ofJob(handle, "preflights", row.id()),
                "id", row.id()));
    int attempt = row.attempt() + 1;
    Map<String, Object> detail = Map.of("job", row.id(), "attempt", attempt, "consumer", consumer);
    AuditTrail.record(
        handle,
        principal,
        "job.claim",
        "job/" + row.id(),
        NewEvent.ofHost(EventKind.JobClaimed, row.rollout(), row.host(), detail));
    return new ClaimResult.Granted(
        job, claim, attempt, token(handle, row, attempt), times.lease().toSeconds());
  }

  /** Every batch's token is newer than this one: a preflight is in nobody's way (ADR 44). */
  private static String token(Handle handle, Row row, int attempt) {
    long epoch = Sql.one(handle, Long.class, "SELECT epoch FROM store_beats", Map.of());
    return epoch + ".0." + row.round() + "." + attempt;
  }

  @Override
  public OptionalLong heartbeat(Handle handle, String id, String claim) {
    int renewed =
        Sql.update(
            handle,
            """
            UPDATE preflights p
            SET lease_until = clock_timestamp() + make_interval(secs => :lease)
            WHERE id = :id AND claim = :claim AND state = 'Claimed'
              AND deadline > clock_timestamp() AND
            """
                + WantedPreflights.CONDITION,
            Map.of("lease", times.lease().toSeconds(), "id", id, "claim", claim));
    return renewed == 1 ? OptionalLong.of(times.lease().toSeconds()) : OptionalLong.empty();
  }

  @Override
  public CompletionResult complete(
      Handle handle, String id, String claim, JobReport jobReport, Principal principal) {
    Optional<Row> found = lock(handle, id);
    if (found.isEmpty()) {
      return refused(CompletionResult.Reason.UNKNOWN_JOB, "there is no job " + id);
    }
    Row row = found.get();
    if (!row.claim().equals(claim)) {
      return refused(
          CompletionResult.Reason.CLAIM_LOST,
          "this claim of job %s is not the current one; the job is %s in attempt %d"
              .formatted(id, row.state(), row.attempt()));
    }
    if (row.ended()) {
      return repeated(handle, row, jobReport);
    }
    if (row.overdue() || !row.wanted()) {
      return refused(
          CompletionResult.Reason.CLAIM_LOST,
          row.overdue()
              ? "the deadline of job " + id + " has passed"
              : "job " + id + " is not wanted any more");
    }
    Optional<String> fault = fault(jobReport);
    if (fault.isPresent()) {
      return refused(CompletionResult.Reason.INVALID_RESULT, fault.get());
    }
    PreflightResult result = PreflightResult.of(jobReport);
    store(handle, row, jobReport, result);
    EventKind told = result.passed() ? EventKind.PreflightPassed : EventKind.PreflightFailed;
    AuditTrail.record(
        handle,
        principal,
        "job.complete",
        "job/" + id,
        NewEvent.ofHost(told, row.rollout(), row.host(), result.told(row.id(), row.attempt())));
    outcomes.ended(handle, row.rollout(), row.host(), result);
    return new CompletionResult.Accepted(false);
  }

  private static CompletionResult refused(CompletionResult.Reason reason, String message) {
    return new CompletionResult.Refused(reason, message);
  }

  private static CompletionResult repeated(Handle handle, Row row, JobReport jobReport) {
    boolean same =
        Sql.yes(
            handle,
            "SELECT COALESCE(result = CAST(:result AS jsonb), false) FROM preflights WHERE id = :id",
            Map.of("result", jobReport.json(), "id", row.id()));
    return same
        ? new CompletionResult.Accepted(true)
        : refused(
            CompletionResult.Reason.RESULT_DIFFERS,
            "job " + row.id() + " has ended as " + row.state());
  }

  private static Optional<String> fault(JobReport jobReport) {
    if (jobReport.outcome() == JobOutcome.Wait || jobReport.outcome() == JobOutcome.Veto) {
      return Optional.of("outcome: a Preflight ends Done, Failed or Unknown");
    }
    boolean more =
        jobReport.mark().isPresent()
            || jobReport.instances().isPresent()
            || jobReport.answer().isPresent()
            || jobReport.left().isPresent()
            || jobReport.state().isPresent()
            || jobReport.retryAfterSeconds().isPresent();
    return more
        ? Optional.of(
            "mark, instances, answer, left, state, retryAfterSeconds: a Preflight has none of these")
        : Optional.empty();
  }

  private static void store(Handle handle, Row row, JobReport jobReport, PreflightResult result) {
    Sql.update(
        handle,
        """
        UPDATE preflights
        SET state = :state, result = CAST(:result AS jsonb), mend = NULLIF(:mend, ''),
            cause = :cause, ended_at = clock_timestamp(), lease_until = NULL
        WHERE id = :id
        """,
        Map.of(
            "state", jobReport.outcome().name(),
            "result", jobReport.json(),
            "mend", result.passed() ? "" : result.mend().word(),
            "cause", result.cause(),
            "id", row.id()));
  }
}
