package dev.drydock.orchestrator.subscriptions;

import dev.drydock.api.EventKind;
import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.api.NotifiedFailure;
import dev.drydock.api.TriedRepair;
import dev.drydock.api.TriedRepairArray;
import dev.drydock.orchestrator.events.FeedEvent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/**
 * Finds the job whose failure an event tells of, and what was tried after it. An ended job never
 * changes.
 */
final class Failures {
  private static final Set<String> OF_A_JOB =
      Set.of(EventKind.JobFailed.name(), EventKind.JobUnknown.name(), EventKind.JobExpired.name());
  private static final Set<String> OF_A_HOST =
      Set.of(EventKind.HostQuarantined.name(), EventKind.HostReverted.name());

  /** As docs/triage.md names it: no host is diagnosed before its update, and its scheduler told. */
  private static final String DRAIN_STUCK = "drain-stuck";

  private Failures() {}

  static Optional<NotifiedFailure> of(Handle handle, FeedEvent event) {
    if (OF_A_JOB.contains(event.kind())) {
      return read(handle, "id = :of", NotificationWording.data(event, "job"), event);
    }
    if (!OF_A_HOST.contains(event.kind())) {
      return Optional.empty();
    }
    String grant = NotificationWording.data(event, "grant");
    return read(handle, "grant_id = :of AND step <> 'Verify'", grant, event)
        .map(failure -> failure.setTried(tried(handle, grant, event.host().orElse(""))));
  }

  private static TriedRepairArray tried(Handle handle, String grant, String host) {
    return handle
        .createQuery(
            """
            SELECT s.action, j.id, j.state, COALESCE(j.result->>'message', '') AS message, j.ended_at
            FROM remediations r
            JOIN remediation_steps s USING (grant_id, host, step)
            JOIN jobs j ON j.id = s.job
            WHERE r.grant_id = :grant AND r.host = :host
            ORDER BY r.began_at, s.number
            """)
        .bind("grant", grant)
        .bind("host", host)
        .map((row, _) -> tried(row))
        .collect(Collectors.toCollection(TriedRepairArray::new));
  }

  private static TriedRepair tried(ResultSet row) throws SQLException {
    TriedRepair tried =
        new TriedRepair()
            .setAction(row.getString("action"))
            .setJob(row.getString("id"))
            .setState(JobState.valueOf(row.getString("state")))
            .setMessage(row.getString("message"));
    Timestamp ended = row.getTimestamp("ended_at");
    return ended == null ? tried : tried.setEndedAt(ended.getTime());
  }

  private static Optional<NotifiedFailure> read(
      Handle handle, String condition, String of, FeedEvent event) {
    return handle
        .createQuery(
            """
            SELECT id, step, host, attempt, NULLIF(COALESCE(result->'objection'->>'reason', result->>'message'), '') AS message,
                   result->'facts'->>'signature' AS signature,
                   (SELECT r.signature FROM remediations r
                    WHERE r.grant_id = jobs.grant_id AND r.host = jobs.host AND r.ended_at <= :at
                      AND r.signature NOT IN ('', 'unknown')
                    ORDER BY r.ended_at DESC LIMIT 1) AS diagnosed,
                   EXISTS (SELECT FROM decisions d WHERE d.grant_id = jobs.grant_id AND jobs.id = ANY(d.jobs)
                             AND d.facts->>'pace' = 'Stuck') AS stuck
            FROM jobs
            WHERE host = :host AND state IN ('Failed', 'Unknown', 'Expired') AND ended_at <= :at AND\s"""
                + condition
                + " ORDER BY round DESC LIMIT 1")
        .bind("host", event.host().orElse(""))
        .bind("at", event.at().plusMillis(1))
        .bind("of", of)
        .map((row, _) -> failure(row))
        .findOne();
  }

  private static NotifiedFailure failure(ResultSet row) throws SQLException {
    String step = row.getString("step");
    String host = row.getString("host");
    String message = Objects.requireNonNullElse(row.getString("message"), "no consumer ended it");
    Optional<String> told =
        Stream.of(
                row.getString("signature"),
                row.getString("diagnosed"),
                row.getBoolean("stuck") ? DRAIN_STUCK : "")
            .filter(signature -> signature != null && !signature.isBlank())
            .findFirst();
    return new NotifiedFailure()
        .setJob(row.getString("id"))
        .setStep(JobStep.valueOf(step))
        .setAttempt(row.getInt("attempt"))
        .setMessage(message)
        .setSignature(
            told.isPresent() ? told.get().strip() : FailureSignature.of(step, message, host));
  }
}
