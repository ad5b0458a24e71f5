package dev.drydock.orchestrator.jobs;

import dev.drydock.api.DrainLeft;
import dev.drydock.api.Job;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.store.BatchAdvancer;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.Page;
import dev.drydock.platform.store.PageRequest;
import dev.drydock.proto.Json;
import dev.drydock.proto.clock.BootClock;
import dev.drydock.proto.crash.CrashPoint;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * The job board as consumers see it: they claim, renew and complete, the board expires; decisions
 * about batches put jobs on it and take them off. Each method is one transaction. Safe for use by
 * many threads and processes.
 */
public final class JobBoard {
  private final Jdbi jdbi;
  private final Transactor transactor;
  private final BoardTimes times;
  private final Claims claims;
  private final BatchAdvancer onward;
  private final Completions completions;
  private final ClaimExpiry claimExpiry;
  private final List<UngrantedJobs> ungranted;
  private final ClaimGate gate;

  public JobBoard(Jdbi jdbi, BoardTimes times) {
    this(jdbi, times, ClaimGate.OPEN, HealthChecks.NONE, BatchAdvancer.NOTHING);
  }

  /**
   * The same.
   *
   * @param gate what keeps consumers from work
   * @param checks asked when a Health is claimed
   * @param onward moves batches on when jobs of them end
   */
  public JobBoard(
      Jdbi jdbi, BoardTimes times, ClaimGate gate, HealthChecks checks, BatchAdvancer onward) {
    this(jdbi, times, new ExternalStores(gate, onward, List.of()), checks);
  }

  /** The same, with more jobs that are no part of a grant. */
  public JobBoard(Jdbi jdbi, BoardTimes times, ExternalStores externalStores, HealthChecks checks) {
    this(
        jdbi,
        times,
        new Claims(times, externalStores.gate(), checks),
        BootClock.system(),
        externalStores);
  }

  /**
   * What is beside the jobs of batches.
   *
   * @param gate what keeps consumers from work
   * @param onward moves batches on when jobs of them end
   * @param more jobs that are no part of a grant, besides the questions to controllers
   */
  public record ExternalStores(ClaimGate gate, BatchAdvancer onward, List<UngrantedJobs> more) {
    private static final ExternalStores NOTHING =
        new ExternalStores(ClaimGate.OPEN, BatchAdvancer.NOTHING, List.of());
  }

  /** For tests that plant a fault in claiming, or set the clock. */
  JobBoard(Jdbi jdbi, BoardTimes times, Claims claims, BootClock clock) {
    this(jdbi, times, claims, clock, ExternalStores.NOTHING);
  }

  private JobBoard(
      Jdbi jdbi, BoardTimes times, Claims claims, BootClock clock, ExternalStores externalStores) {
    this.jdbi = jdbi;
    this.transactor = new Transactor(jdbi);
    this.times = times;
    this.claims = claims;
    this.onward = externalStores.onward();
    this.completions = new Completions();
    this.claimExpiry = new ClaimExpiry(times, clock);
    this.ungranted =
        Stream.concat(Stream.of(new Approvals(times)), externalStores.more().stream()).toList();
    this.gate = externalStores.gate();
  }

  private Optional<UngrantedJobs> ungranted(String job) {
    return ungranted.stream().filter(one -> one.owns(job)).findFirst();
  }

  /**
   * Jobs of the topics and steps that could be claimed now, oldest first; hosts that still serve
   * wait behind those that do not.
   */
  public Page<Job> claimable(
      Collection<String> topics,
      Collection<JobStep> steps,
      PageRequest pageRequest,
      FieldMask fieldMask) {
    return OfferedJobs.page(jdbi, topics, steps, pageRequest, fieldMask);
  }

  /** Gives the job to the consumer, or says why not. A refusal may have asked for a new check. */
  public ClaimResult claim(String job, String consumer, Principal principal) {
    ClaimResult claimResult =
        transactor.call(
            handle ->
                ungranted(job)
                    .map(
                        one ->
                            gate.closed(handle, one.step())
                                .<ClaimResult>map(
                                    why ->
                                        new ClaimResult.Refused(
                                            ClaimResult.Reason.RECOVERY_MODE, why))
                                .orElseGet(() -> one.claim(handle, job, consumer, principal)))
                    .orElseGet(() -> claims.claim(handle, job, consumer, principal)));
    if (claimResult instanceof ClaimResult.Granted) {
      CrashPoint.reach("after-job-claimed");
    }
    return claimResult;
  }

  private Optional<String> closed(Handle handle, String job) {
    JobStep step =
        ungranted(job)
            .map(UngrantedJobs::step)
            .or(() -> JobRow.find(handle, job, JobRow.Lock.NONE).map(JobRow::step))
            .orElse(JobStep.$UNKNOWN);
    return gate.closed(handle, step);
  }

  /** Lengthens the lease of a claim whose consumer tells nothing else. */
  public OptionalLong heartbeat(String job, String claimResult) {
    return heartbeat(job, claimResult, Optional.empty());
  }

  /**
   * Lengthens the lease of the current claim, never past the deadline of the job. A claim whose
   * lease has ended but that nobody took over is still the current one.
   *
   * @param left what the host still has, of a Drain whose consumer tells
   * @return seconds from now, or empty if the claim is lost, its batch aborted or sent back, or the
   *     time is up
   */
  public OptionalLong heartbeat(String job, String claimResult, Optional<DrainLeft> left) {
    return transactor.call(
        handle -> {
          if (closed(handle, job).isPresent()) {
            return OptionalLong.empty();
          }
          Optional<UngrantedJobs> other = ungranted(job);
          if (other.isPresent()) {
            return other.get().heartbeat(handle, job, claimResult);
          }
          int renewed =
              handle
                  .createUpdate(
                      """
                      UPDATE jobs
                      SET lease_until = clock_timestamp() + make_interval(secs => :lease)
                      WHERE id = :id AND claim = :claim AND state = 'Claimed'
                        AND deadline > clock_timestamp()
                        AND NOT (SELECT g.abort OR (g.undo IS NOT NULL AND jobs.step = ANY(:forward))
                                 FROM grants g WHERE g.id = jobs.grant_id)
                      """)
                  .bindArray("forward", String.class, ForwardSteps.names())
                  .bind("lease", times.lease().toMillis() / 1000.0)
                  .bind("id", job)
                  .bind("claim", claimResult)
                  .execute();
          left.filter(told -> renewed == 1)
              .ifPresent(told -> DrainProgress.note(handle, job, told));
          return renewed == 1 ? OptionalLong.of(times.lease().toSeconds()) : OptionalLong.empty();
        });
  }

  /**
   * Keeps what is known of the host before the job ends: the next attempt is told it, and so is
   * every later job of the batch, though nobody may come to report an end. The same again changes
   * nothing.
   *
   * @return false if the claim is lost, the time of the job is up, or a store was restored
   */
  public boolean note(String job, String claimResult, Map<String, String> facts) {
    return transactor.call(
        handle -> closed(handle, job).isEmpty() && noted(handle, job, claimResult, facts));
  }

  private static boolean noted(
      Handle handle, String job, String claimResult, Map<String, String> facts) {
    int hosts =
        handle
            .createUpdate(
                """
                WITH told AS (
                  UPDATE jobs
                  SET spec = jsonb_set(spec, '{facts}',
                                       COALESCE(spec->'facts', '{}') || CAST(:facts AS jsonb))
                  WHERE id = :id AND claim = :claim AND state = 'Claimed'
                    AND deadline > clock_timestamp()
                  RETURNING grant_id, host)
                UPDATE host_upgrades u SET facts = u.facts || CAST(:facts AS jsonb)
                FROM told WHERE u.grant_id = told.grant_id AND u.host = told.host
                """)
            .bind("facts", Json.writeTree(facts))
            .bind("id", job)
            .bind("claim", claimResult)
            .execute();
    return hosts == 1;
  }

  /** Where a job is, as the rest of a sentence that refuses something. */
  public String standing(String job) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT 'the job is ' || state || ' in attempt ' || attempt
                    FROM (SELECT id, state, attempt FROM jobs
                          UNION ALL SELECT id, state, attempt FROM approvals
                          UNION ALL SELECT id, state, attempt FROM preflights) j
                    WHERE id = :id
                    """)
                .bind("id", job)
                .mapTo(String.class)
                .findOne()
                .orElse("there is no such job"));
  }

  /** Keeps the result of the current claim; the same result again is accepted again. */
  public CompletionResult complete(
      String job, String claimResult, JobReport jobReport, Principal principal) {
    CompletionResult completionResult =
        ungranted(job)
            .map(
                one ->
                    transactor.call(
                        handle -> one.complete(handle, job, claimResult, jobReport, principal)))
            .orElseGet(
                () -> completed(new Completions.Sent(job, claimResult, jobReport, principal)));
    if (completionResult instanceof CompletionResult.Accepted) {
      CrashPoint.reach("after-result-stored");
    }
    return completionResult;
  }

  private CompletionResult completed(Completions.Sent sent) {
    BatchAdvancer.Move move = onward.ready();
    return transactor.call(handle -> completions.complete(handle, sent, move));
  }

  /** Jobs waiting or claimed by step, for the metric. */
  public Map<String, Long> openByStep() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT step, count(*) AS jobs FROM (
                      SELECT step, state FROM jobs
                      UNION ALL SELECT 'Preflight', state FROM preflights) j
                    WHERE state IN ('Pending', 'Claimed') GROUP BY step
                    """)
                .reduceRows(
                    new HashMap<String, Long>(),
                    (counts, row) -> {
                      counts.put(
                          row.getColumn("step", String.class), row.getColumn("jobs", Long.class));
                      return counts;
                    }));
  }

  /** Takes back or ends what is overdue; answers how many jobs changed. */
  public int expire() {
    // Apart: nothing may expire by what is not committed.
    transactor.call(Deadlines::renewAfterAbsence);
    return transactor.call(claimExpiry::expire);
  }
}
