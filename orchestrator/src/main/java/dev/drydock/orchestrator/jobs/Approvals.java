package dev.drydock.orchestrator.jobs;

import dev.drydock.api.ApprovalAnswer;
import dev.drydock.api.EventKind;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.impact.core.Answer;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.platform.events.Event;
import dev.drydock.platform.identity.Audit;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.store.Notifications;
import dev.drydock.proto.Json;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
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
final class Approvals implements Ungranted {
  private static final String PREFIX = "ask.";
  private static final Duration VALID = Duration.ofMinutes(1);
  private static final Duration VALID_MAX = Duration.ofHours(1);
  private static final int RETRY_SECONDS_MIN = 2;
  private static final int RETRY_SECONDS_MAX = 3600;

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
  public Claim claim(Handle handle, String id, String consumer, Principal principal) {
    Optional<Row> found = lock(handle, id);
    if (found.isEmpty()) {
      return new Claim.Refused(Claim.Reason.UNKNOWN_JOB, "there is no job " + id);
    }
    Row row = found.get();
    if (!principal.consumes(row.topic())) {
      return new Claim.Refused(
          Claim.Reason.TOPIC_NOT_YOURS,
          principal.name() + " does not consume topic " + row.topic());
    }
    if (!row.free()) {
      return new Claim.Refused(Claim.Reason.JOB_NOT_PENDING, "job " + id + " is " + row.state());
    }
    if (row.overdue()) {
      return new Claim.Refused(
          Claim.Reason.DEADLINE_PASSED, "the time-out of job " + id + " has passed");
    }
    String claim = ClaimSecret.next();
    String job =
        handle
            .createQuery(
                """
                UPDATE approvals
                SET state = 'Claimed', attempt = attempt + 1, consumer = :consumer, claim = :claim,
                    lease_until = clock_timestamp() + make_interval(secs => :lease)
                WHERE id = :id
                RETURNING spec || jsonb_build_object('state', state, 'attempt', attempt)
                """)
            .bind("consumer", consumer)
            .bind("claim", claim)
            .bind("lease", leaseSeconds(row))
            .bind("id", id)
            .mapTo(String.class)
            .one();
    int attempt = row.attempt() + 1;
    Map<String, Object> detail = Map.of("job", id, "attempt", attempt, "consumer", consumer);
    Audit.record(handle, principal, "job.claim", "job/" + id, Json.writeTree(detail));
    String token = "0.0." + row.round() + "." + attempt;
    return new Claim.Granted(job, claim, attempt, token, leaseSeconds(row));
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
            handle
                .createUpdate(
                    """
                    UPDATE approvals
                    SET lease_until = clock_timestamp() + make_interval(secs => :lease)
                    WHERE id = :id
                    """)
                .bind("lease", leaseSeconds(found))
                .bind("id", id)
                .execute());
    return row.isPresent() ? OptionalLong.of(leaseSeconds(row.get())) : OptionalLong.empty();
  }

  @Override
  public Completion complete(
      Handle handle, String id, String claim, Report report, Principal principal) {
    Optional<Row> found = lock(handle, id);
    if (found.isEmpty()) {
      return new Completion.Refused(Completion.Reason.UNKNOWN_JOB, "there is no job " + id);
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
      return repeated(handle, row, report);
    }
    if (row.overdue()) {
      return lost(id, "the time-out of job " + id + " has passed");
    }
    Optional<String> fault = fault(handle, row, report);
    if (fault.isPresent()) {
      handle
          .createUpdate("UPDATE approvals SET refusal = :why WHERE id = :id")
          .bind("why", fault.get())
          .bind("id", id)
          .execute();
      return new Completion.Refused(Completion.Reason.INVALID_RESULT, fault.get());
    }
    store(handle, row, report);
    String decision = report.answer().map(answer -> answer.getDecision().name()).orElse("None");
    Map<String, Object> detail =
        Map.of("job", id, "topic", row.topic(), "round", row.round(), "decision", decision);
    new Event(EventKind.ApprovalAnswered, Optional.empty(), Optional.empty(), detail)
        .append(handle);
    Audit.record(handle, principal, "job.complete", "job/" + id, Json.writeTree(detail));
    Notifications.notify(handle, Wakeups.GRANTOR_CHANNEL);
    return new Completion.Accepted(false);
  }

  private static Completion lost(String id, String why) {
    return new Completion.Refused(Completion.Reason.CLAIM_LOST, why);
  }

  private static Completion repeated(Handle handle, Row row, Report report) {
    boolean same =
        handle
            .createQuery(
                "SELECT COALESCE(result = CAST(:result AS jsonb), false) FROM approvals WHERE id = :id")
            .bind("result", report.json())
            .bind("id", row.id())
            .mapTo(Boolean.class)
            .one();
    return same
        ? new Completion.Accepted(true)
        : new Completion.Refused(
            Completion.Reason.RESULT_DIFFERS, "job " + row.id() + " has ended as " + row.state());
  }

  private static Optional<String> fault(Handle handle, Row row, Report report) {
    if (report.mark().isPresent() || report.instances().isPresent()) {
      return Optional.of("mark, instances: an Approve reads no host");
    }
    if (report.answer().isEmpty()) {
      return report.outcome() == JobOutcome.Done
          ? Optional.of("answer: an Approve is done only with an answer")
          : Optional.empty();
    }
    if (report.outcome() != JobOutcome.Done) {
      return Optional.of("answer: only an Approve that is Done has one");
    }
    ApprovalAnswer answer = report.answer().get();
    int retry = answer.getRetryAfterSeconds();
    if (retry < RETRY_SECONDS_MIN || retry > RETRY_SECONDS_MAX) {
      return Optional.of(
          "answer.retryAfterSeconds: is %d, must be from %d to %d"
              .formatted(retry, RETRY_SECONDS_MIN, RETRY_SECONDS_MAX));
    }
    Optional<String> expired =
        expiry(answer)
            .filter(at -> !at.isAfter(now(handle)))
            .map(at -> "answer.expiresAt: " + at + " has passed by the clock of the database");
    return expired.isPresent() ? expired : read(answer).fault(row.groups());
  }

  private static Answer read(ApprovalAnswer answer) {
    String decision = answer.getDecision().name().toUpperCase(Locale.ROOT);
    return new Answer(
        Answer.Decision.valueOf(decision),
        answer.getApproved(),
        answer.getDenied(),
        answer.getWaiting());
  }

  private static Optional<Instant> expiry(ApprovalAnswer answer) {
    return Optional.ofNullable(answer.getExpiresAt()).map(Instant::ofEpochMilli);
  }

  private static Instant now(Handle handle) {
    return handle
        .createQuery("SELECT clock_timestamp()")
        .map((row, context) -> row.getTimestamp(1).toInstant())
        .one();
  }

  private static void store(Handle handle, Row row, Report report) {
    Instant now = now(handle);
    Instant last = now.plus(VALID_MAX);
    Instant until = report.answer().flatMap(Approvals::expiry).orElse(now.plus(VALID));
    int retry = report.answer().map(ApprovalAnswer::getRetryAfterSeconds).orElse(5);
    handle
        .createUpdate(
            """
            UPDATE approvals
            SET state = :state, result = CAST(:result AS jsonb), ended_at = :now, lease_until = NULL,
                expires_at = :until, retry_at = :again
            WHERE id = :id
            """)
        .bind("state", report.outcome().name())
        .bind("result", report.json())
        .bind("now", java.sql.Timestamp.from(now))
        .bind("until", java.sql.Timestamp.from(until.isBefore(last) ? until : last))
        .bind("again", java.sql.Timestamp.from(now.plusSeconds(retry)))
        .bind("id", row.id())
        .execute();
  }
}
