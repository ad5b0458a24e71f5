package dev.drydock.orchestrator.subscriptions;

import dev.drydock.api.EventKind;
import dev.drydock.api.JobStep;
import dev.drydock.api.NotifiedFailure;
import dev.drydock.orchestrator.events.FeedEvent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** Finds the job whose failure an event tells of. An ended job never changes. */
final class Failures {
  private static final Set<String> OF_A_JOB =
      Set.of(EventKind.JobFailed.name(), EventKind.JobUnknown.name(), EventKind.JobExpired.name());
  private static final Set<String> OF_A_HOST =
      Set.of(EventKind.HostQuarantined.name(), EventKind.HostReverted.name());

  private Failures() {}

  static Optional<NotifiedFailure> of(Handle handle, FeedEvent event) {
    if (OF_A_JOB.contains(event.kind())) {
      return read(handle, "id = :of", Told.data(event, "job"), event);
    }
    return OF_A_HOST.contains(event.kind())
        ? read(handle, "grant_id = :of AND step <> 'Verify'", Told.data(event, "grant"), event)
        : Optional.empty();
  }

  private static Optional<NotifiedFailure> read(
      Handle handle, String condition, String of, FeedEvent event) {
    return handle
        .createQuery(
            """
            SELECT id, step, host, attempt, NULLIF(COALESCE(result->'objection'->>'reason', result->>'message'), '') AS message,
                   result->'facts'->>'signature' AS signature
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
    String message = Objects.requireNonNullElse(row.getString("message"), "no consumer ended it");
    String told = row.getString("signature");
    return new NotifiedFailure()
        .setJob(row.getString("id"))
        .setStep(JobStep.valueOf(step))
        .setAttempt(row.getInt("attempt"))
        .setMessage(message)
        .setSignature(
            told == null || told.isBlank()
                ? FailureSignature.of(step, message, row.getString("host"))
                : told.strip());
  }
}
