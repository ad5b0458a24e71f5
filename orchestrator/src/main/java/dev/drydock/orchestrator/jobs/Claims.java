package dev.drydock.orchestrator.jobs;

import dev.drydock.api.EventKind;
import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.orchestrator.jobs.ClaimResult.Reason;
import dev.drydock.orchestrator.store.CheckStore;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.identity.AuditTrail;
import dev.drydock.platform.identity.Principal;
import dev.drydock.proto.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Gives a job to one consumer. Its time counts from that claim, that of a hook from its first one.
 * Inside the caller's transaction the grant is locked first, so that an abort, an undo and a later
 * run are seen or wait; then the job, without waiting for another claimer.
 */
class Claims {
  private final BoardTimes times;
  private final ClaimGate gate;
  private final HealthChecks checks;

  Claims(BoardTimes times) {
    this(times, ClaimGate.OPEN, HealthChecks.NONE);
  }

  /**
   * Claims.
   *
   * @param checks asked when a Health is claimed, so that whoever does it, in whatever round, does
   *     what policies say then; and when an Update is, so that nothing is updated that could not be
   *     judged
   */
  Claims(BoardTimes times, ClaimGate gate, HealthChecks checks) {
    this.times = times;
    this.gate = gate;
    this.checks = checks;
  }

  ClaimResult claim(Handle handle, String jobId, String consumer, Principal principal) {
    Optional<GrantRow> owner = GrantRow.lockOf(handle, jobId);
    if (owner.isEmpty()) {
      return new ClaimResult.Refused(Reason.UNKNOWN_JOB, "there is no job " + jobId);
    }
    GrantRow grant = owner.get();
    Optional<JobRow> locked = JobRow.find(handle, jobId, JobRow.Lock.SKIP_LOCKED);
    if (locked.isEmpty()) {
      return notPending(jobId, JobState.Claimed);
    }
    JobRow job = locked.get();
    if (!principal.consumes(job.topic())) {
      return new ClaimResult.Refused(
          Reason.TOPIC_NOT_YOURS, principal.name() + " does not consume topic " + job.topic());
    }
    Optional<String> closed = gate.closed(handle, job.step());
    if (closed.isPresent()) {
      return new ClaimResult.Refused(Reason.RECOVERY_MODE, closed.get());
    }
    if (job.state() != JobState.Pending) {
      return notPending(jobId, job.state());
    }
    Optional<ClaimResult.Refused> refusal = refusal(handle, grant, job);
    if (refusal.isPresent()) {
      return refusal.get();
    }
    return take(handle, grant, job, new Taker(consumer, principal));
  }

  private static ClaimResult.Refused notPending(String job, JobState state) {
    return new ClaimResult.Refused(Reason.JOB_NOT_PENDING, "job " + job + " is " + state);
  }

  private Optional<ClaimResult.Refused> refusal(Handle handle, GrantRow grant, JobRow job) {
    Optional<String> why = closed(grant, job);
    if (why.isPresent()) {
      return Optional.of(
          new ClaimResult.Refused(
              Reason.GRANT_NOT_ALIVE, "grant " + grant.id() + " is " + why.get()));
    }
    if (grant.holdRevision() == 0) {
      return Optional.of(
          new ClaimResult.Refused(
              Reason.GRANT_NOT_ALIVE,
              "grant " + grant.id() + " has no lock on its hosts yet; claim again in a moment"));
    }
    if (job.overdue()) {
      return Optional.of(
          new ClaimResult.Refused(
              Reason.DEADLINE_PASSED, "the deadline of job " + job.id() + " has passed"));
    }
    if (job.step() == JobStep.Hook || job.step() == JobStep.Unhook) {
      return notBefore(handle, job)
          .map(until -> new ClaimResult.Refused(Reason.JOB_NOT_PENDING, until));
    }
    return job.step() == JobStep.Drain ? notOpen(handle, grant) : Optional.empty();
  }

  /** Until when a hook that asked to be asked again is not given out, if that has not come. */
  private static Optional<String> notBefore(Handle handle, JobRow job) {
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

  /** Why the grant gives out no job like this any more, if so. */
  private Optional<String> closed(GrantRow grant, JobRow job) {
    if (!grant.alive()) {
      return Optional.of(grant.state());
    }
    if (runDiffers(grant, job)) {
      return Optional.of("worked by a later run");
    }
    if (!ForwardSteps.leads(job.step())) {
      return Optional.empty();
    }
    return grant.abort()
        ? Optional.of("aborted")
        : grant.undo().map(end -> "on its way back (" + end + ")");
  }

  /**
   * Until a Drain of the run is done, each claim of one needs a fresh verdict: an attempt that fell
   * silent or failed may have stopped nothing, and the fleet may have changed since. A Wait is
   * final: its batch goes back, or asks again once its run was lost.
   */
  private Optional<ClaimResult.Refused> notOpen(Handle handle, GrantRow grant) {
    String check = "the open check of grant " + grant.id();
    String latest =
        CheckStore.latest(handle, grant.id(), Check.Kind.OPEN)
            .map(CheckStore.Latest::state)
            .orElse("");
    if (latest.equals("Wait")) {
      return Optional.of(
          new ClaimResult.Refused(
              Reason.CHECK_STALE, check + " said Wait; no host is drained by it"));
    }
    if (latest.equals("Grant") && (drainDone(handle, grant) || freshlyOpen(handle, grant))) {
      return Optional.empty();
    }
    int round = CheckStore.ask(handle, grant, Check.Kind.OPEN);
    return Optional.of(
        new ClaimResult.Refused(
            Reason.CHECK_STALE,
            check
                + " is too old; round "
                + round
                + " was asked for, claim again when it is decided"));
  }

  /** Whether the job belongs to another run than the one that works the grant now. */
  boolean runDiffers(GrantRow grant, JobRow job) {
    return grant.run() != job.run();
  }

  private static boolean drainDone(Handle handle, GrantRow grant) {
    return handle
        .createQuery(
            """
            SELECT EXISTS (SELECT FROM jobs
                           WHERE grant_id = :grant AND run = :run AND step = 'Drain' AND state = 'Done')
            """)
        .bind("grant", grant.id())
        .bind("run", grant.run())
        .mapTo(Boolean.class)
        .one();
  }

  /** By the clock, and only where it was not set back since. */
  private boolean freshlyOpen(Handle handle, GrantRow grant) {
    return handle
        .createQuery(
            """
            SELECT g.stage = 'open'
                   AND g.opened_at <= clock_timestamp()
                   AND g.opened_at > clock_timestamp() - make_interval(secs => :staleness)
                   AND COALESCE(g.open_until > clock_timestamp(), true)
                   AND COALESCE(c.asked_mark, 0) >= ages_known_from()
            FROM grants g JOIN checks c ON c.grant_id = g.id AND c.kind = 'open'
            WHERE g.id = :id ORDER BY c.round DESC LIMIT 1
            """)
        .bind("staleness", times.staleness().toMillis() / 1000.0)
        .bind("id", grant.id())
        .mapTo(Boolean.class)
        .one();
  }

  /** Who claims: the process, and the principal it is. */
  private record Taker(String consumer, Principal principal) {}

  private ClaimResult take(Handle handle, GrantRow grant, JobRow job, Taker taker) {
    String claim = ClaimSecret.next();
    int attempt = job.attempt() + 1;
    String taken =
        handle
            .createQuery(
                """
                WITH taken AS (INSERT INTO marks (source) VALUES (:source) RETURNING mark)
                UPDATE jobs
                SET state = 'Claimed', attempt = :attempt, consumer = :consumer, claim = :claim,
                    claim_mark = taken.mark,
                    deadline = CASE WHEN
                """
                    + Deadlines.goesOnUnclaimed("jobs")
                    + """
                      THEN deadline ELSE clock_timestamp()
                        + make_interval(secs => CAST(spec->>'deadlineSeconds' AS int)) END,
                    lease_until = clock_timestamp() + make_interval(secs => :lease)
                FROM taken WHERE id = :id
                RETURNING spec || jsonb_build_object(
                    'state', state, 'attempt', attempt,
                    'secondsLeft', CAST(extract(epoch FROM deadline - clock_timestamp()) AS int))
                  || CAST(:more AS jsonb)
                """)
            .bind("attempt", attempt)
            .bind("consumer", taker.consumer())
            .bind("claim", claim)
            .bind("source", EffectMarks.SOURCE)
            .bind("lease", times.lease().toMillis() / 1000.0)
            .bind("more", Json.writeTree(checks(handle, job)))
            .bind("id", job.id())
            .mapTo(String.class)
            .one();
    Map<String, Object> detail =
        Map.of("job", job.id(), "attempt", attempt, "consumer", taker.consumer());
    AuditTrail.record(
        handle,
        taker.principal(),
        "job.claim",
        "job/" + job.id(),
        NewEvent.ofHost(EventKind.JobClaimed, job.rollout(), job.host(), detail));
    String token = grant.epoch() + "." + grant.holdRevision() + "." + job.round() + "." + attempt;
    return new ClaimResult.Granted(taken, claim, attempt, token, times.lease().toSeconds());
  }

  private Map<String, List<String>> checks(Handle handle, JobRow job) {
    if (job.step() != JobStep.Health && job.step() != JobStep.Update) {
      return Map.of();
    }
    return Map.of("checks", checks.ofJob(handle, "jobs", job.id()));
  }
}
