package dev.drydock.orchestrator.jobs;

import dev.drydock.api.ApprovalAnswer;
import dev.drydock.api.JobOutcome;
import dev.drydock.impact.core.ControllerAnswer;
import dev.drydock.platform.store.Sql;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** Judges what the controller of a team answers to an Approve. */
final class AnswerCheck {
  private static final int RETRY_SECONDS_MIN = 2;
  private static final int RETRY_SECONDS_MAX = 3600;

  private AnswerCheck() {}

  /** What is wrong with it, if anything. */
  static Optional<String> fault(Handle handle, JobReport jobReport, List<Set<String>> groups) {
    if (jobReport.mark().isPresent() || jobReport.instances().isPresent()) {
      return Optional.of("mark, instances: an Approve reads no host");
    }
    if (jobReport.answer().isEmpty()) {
      return jobReport.outcome() == JobOutcome.Done
          ? Optional.of("answer: an Approve is done only with an answer")
          : Optional.empty();
    }
    if (jobReport.outcome() != JobOutcome.Done) {
      return Optional.of("answer: only an Approve that is Done has one");
    }
    ApprovalAnswer answer = jobReport.answer().get();
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
    return expired.isPresent() ? expired : read(answer).fault(groups);
  }

  private static ControllerAnswer read(ApprovalAnswer answer) {
    String decision = answer.getDecision().name().toUpperCase(Locale.ROOT);
    return new ControllerAnswer(
        ControllerAnswer.Decision.valueOf(decision),
        answer.getApproved(),
        answer.getDenied(),
        answer.getWaiting());
  }

  static Optional<Instant> expiry(ApprovalAnswer answer) {
    return Optional.ofNullable(answer.getExpiresAt()).map(Instant::ofEpochMilli);
  }

  /** By the clock of the database. */
  static Instant now(Handle handle) {
    return Sql.one(handle, Instant.class, "SELECT clock_timestamp()", Map.of());
  }
}
