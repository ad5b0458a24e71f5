package dev.drydock.orchestrator.jobs;

import dev.drydock.api.ApprovalAnswer;
import dev.drydock.api.EventKind;
import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.identity.AuditTrail;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.store.Sql;
import dev.drydock.platform.store.WakeupChannel;
import dev.drydock.proto.Json;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * The board's jobs of kind Approve: questions to the teams' controllers, which belong to no grant
 * and have no effect on any host. So a claim that fell silent is given on when its lease is over,
 * without a margin, and a wrong answer is refused and may be corrected until the time-out.
 */
final class Approvals implements UngrantedJobs {
  private static final String PREFIX = "ask.";
  private static final Duration VALID = Duration.ofMinutes(1);
  private static final Duration VALID_MAX = Duration.ofHours(1);

  /** A controller that dies has time to start again and answer in the same round. */
  private static final int LEASES_IN_TIME = 3;

  private final BoardTimes times;

  Approvals(BoardTimes times) {
    this.times = times;
  }

  @Override
  public JobStep step() {
    return JobStep.Approve;
  }

  @Override
  public boolean owns(String job) {
    return job.startsWith(PREFIX);
  }

  /** A question as its row says; {@code free} if somebody may claim it. */
  private record Row(
      String id,
      String topic,
      long round,
      JobState state,
      int attempt,
      String claim,
      boolean free,
      boolean overdue,
      int timeoutSeconds,
      List<Set<String>> groups) {

    boolean ended() {
      return state != JobState.Pending && state != JobState.Claimed;
    }
  }

  private static Optional<Row> lock(Handle handle, String id) {
    return handle
        .createQuery(
            """
            SELECT id, topic, round, state, attempt, COALESCE(claim, '') AS claim,
                   state = 'Pending'
                     OR (state = 'Claimed' AND lease_until < clock_timestamp()) AS free,
                   deadline <= clock_timestamp() AS overdue,
                   CAST(spec->>'deadlineSeconds' AS int) AS timeout,
                   CAST(jsonb_path_query_array(spec, '$.ask.groups[*].instances') AS text) AS groups
            FROM approvals WHERE id = :id FOR UPDATE
            """)
        .bind("id", id)
        .map((row, context) -> row(row))
        .findOne();
  }

  private static Row row(ResultSet row) throws SQLException {
    return new Row(
        row.getString("id"),
        row.getString("topic"),
        row.getLong("round"),
        JobState.valueOf(row.getString("state")),
        row.getInt("attempt"),
        row.getString("claim"),
        row.getBoolean("free"),
        row.getBoolean("overdue"),
        row.getInt("timeout"),
        ((List<?>) Json.readValue(row.getString("groups"))).stream().map(Approvals::ids).toList());
  }

  private static Set<String> ids(Object instances) {
    Set<String> ids = new HashSet<>();
    for (Object instance : (List<?>) instances) {
      ids.add(String.valueOf(((Map<?, ?>) instance).get("id")));
    }
    return ids;
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
    if (!row.free()) {
      return new ClaimResult.Refused(
          ClaimResult.Reason.JOB_NOT_PENDING, "job " + id + " is " + row.state());
    }
    if (row.overdue()) {
      return new ClaimResult.Refused(
          ClaimResult.Reason.DEADLINE_PASSED, "the time-out of job " + id + " has passed");
    }
    String claim = ClaimSecret.next();
    String job =
        Sql.one(
            handle,
            String.class,
            """
            UPDATE approvals
            SET state = 'Claimed', attempt = attempt + 1, consumer = :consumer, claim = :claim,
                lease_until = clock_timestamp() + make_interval(secs => :lease)
            WHERE id = :id
            RETURNING spec || jsonb_build_object('state', state, 'attempt', attempt)
            """,
            Map.of(
                "consumer", consumer,
                "claim", claim,
                "lease", leaseSeconds(row),
                "id", id));
    int attempt = row.attempt() + 1;
    Map<String, Object> detail = Map.of("job", id, "attempt", attempt, "consumer", consumer);
    AuditTrail.record(handle, principal, "job.claim", "job/" + id, Json.writeTree(detail));
    String token = "0.0." + row.round() + "." + attempt;
    return new ClaimResult.Granted(job, claim, attempt, token, leaseSeconds(row));
  }

  private long leaseSeconds(Row row) {
    long share = Math.max(1, row.timeoutSeconds() / LEASES_IN_TIME);
    return Math.min(times.lease().toSeconds(), share);
  }

  @Override
  public OptionalLong heartbeat(Handle handle, String id, String claim) {
    Optional<Row> row =
        lock(handle, id)
            .filter(found -> found.state() == JobState.Claimed && found.claim().equals(claim))
            .filter(found -> !found.overdue());
    row.ifPresent(
        found ->
            Sql.update(
                handle,
                """
                UPDATE approvals
                SET lease_until = clock_timestamp() + make_interval(secs => :lease)
                WHERE id = :id
                """,
                Map.of("lease", leaseSeconds(found), "id", id)));
    return row.isPresent() ? OptionalLong.of(leaseSeconds(row.get())) : OptionalLong.empty();
  }

  @Override
  public CompletionResult complete(
      Handle handle, String id, String claim, JobReport jobReport, Principal principal) {
    Optional<Row> found = lock(handle, id);
    if (found.isEmpty()) {
      return new CompletionResult.Refused(
          CompletionResult.Reason.UNKNOWN_JOB, "there is no job " + id);
    }
    Row row = found.get();
    if (!row.claim().equals(claim)) {
      return lost(
          id,
          "this claim of job "
              + id
              + " is not the current one; the job is "
              + row.state()
              + " in attempt "
              + row.attempt());
    }
    if (row.ended()) {
      return repeated(handle, row, jobReport);
    }
    if (row.overdue()) {
      return lost(id, "the time-out of job " + id + " has passed");
    }
    Optional<String> fault = AnswerCheck.fault(handle, jobReport, row.groups());
    if (fault.isPresent()) {
      Sql.update(
          handle,
          "UPDATE approvals SET refusal = :why WHERE id = :id",
          Map.of("why", fault.get(), "id", id));
      return new CompletionResult.Refused(CompletionResult.Reason.INVALID_RESULT, fault.get());
    }
    store(handle, row, jobReport);
    String decision = jobReport.answer().map(answer -> answer.getDecision().name()).orElse("None");
    Map<String, Object> detail =
        Map.of("job", id, "topic", row.topic(), "round", row.round(), "decision", decision);
    new NewEvent(EventKind.ApprovalAnswered, Optional.empty(), Optional.empty(), detail)
        .append(handle);
    AuditTrail.record(handle, principal, "job.complete", "job/" + id, Json.writeTree(detail));
    WakeupChannel.notify(handle, Wakeups.GRANTOR_CHANNEL);
    return new CompletionResult.Accepted(false);
  }

  private static CompletionResult lost(String id, String why) {
    return new CompletionResult.Refused(CompletionResult.Reason.CLAIM_LOST, why);
  }

  private static CompletionResult repeated(Handle handle, Row row, JobReport jobReport) {
    boolean same =
        Sql.yes(
            handle,
            "SELECT COALESCE(result = CAST(:result AS jsonb), false) FROM approvals WHERE id = :id",
            Map.of("result", jobReport.json(), "id", row.id()));
    return same
        ? new CompletionResult.Accepted(true)
        : new CompletionResult.Refused(
            CompletionResult.Reason.RESULT_DIFFERS,
            "job " + row.id() + " has ended as " + row.state());
  }

  private static void store(Handle handle, Row row, JobReport jobReport) {
    Instant now = AnswerCheck.now(handle);
    Instant last = now.plus(VALID_MAX);
    Instant until = jobReport.answer().flatMap(AnswerCheck::expiry).orElse(now.plus(VALID));
    int retry = jobReport.answer().map(ApprovalAnswer::getRetryAfterSeconds).orElse(5);
    Sql.update(
        handle,
        """
        UPDATE approvals
        SET state = :state, result = CAST(:result AS jsonb), ended_at = :now, lease_until = NULL,
            expires_at = :until, retry_at = :again
        WHERE id = :id
        """,
        Map.of(
            "state", jobReport.outcome().name(),
            "result", jobReport.json(),
            "now", now,
            "until", until.isBefore(last) ? until : last,
            "again", now.plusSeconds(retry),
            "id", row.id()));
  }
}
