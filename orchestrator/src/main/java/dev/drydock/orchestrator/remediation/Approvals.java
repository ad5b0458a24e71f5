package dev.drydock.orchestrator.remediation;

import dev.drydock.api.RepairApprovalAnswer;
import dev.drydock.impact.core.Ladder.Rung;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * The rows of what people are asked to approve before it is tried. The caller holds the lock of the
 * grant.
 */
final class Approvals {
  /** Who refused what nobody answered. */
  static final String BY_EXPIRY = "drydock";

  // Its host counts as down meanwhile, and a night may lie between.
  private static final Duration REMIND = Duration.ofHours(1);
  private static final Duration EXPIRES = Duration.ofHours(24);

  private static final String COLUMNS =
      """
      SELECT id, grant_id, host, step, rung, found, expires_at,
             expires_at <= clock_timestamp() AS expired, remind_at <= clock_timestamp() AS remind_due,
             answer || ' by ' || answered_by || CASE WHEN reason = '' THEN '' ELSE ': ' || reason END AS says
      FROM repair_approvals
      """;

  private Approvals() {}

  /**
   * A question as its row says; without an answer it waits for one.
   *
   * @param found what the diagnosis said
   * @param says how it was answered
   */
  record Approval(
      String id,
      String grant,
      String host,
      String step,
      String rung,
      String found,
      Instant expiresAt,
      boolean expired,
      boolean remindDue,
      Optional<String> says) {

    /** How it was answered, as the rest of a sentence. */
    String answered() {
      return says.orElse("not yet");
    }

    private static Approval of(ResultSet row) throws SQLException {
      return new Approval(
          row.getString("id"),
          row.getString("grant_id"),
          row.getString("host"),
          row.getString("step"),
          row.getString("rung"),
          row.getString("found"),
          row.getTimestamp("expires_at").toInstant(),
          row.getBoolean("expired"),
          row.getBoolean("remind_due"),
          Optional.ofNullable(row.getString("says")));
    }
  }

  /** What was answered by whom, and why. */
  record Answer(RepairApprovalAnswer answer, String by, String reason) {}

  static Optional<Approval> find(Handle handle, String id) {
    return handle
        .createQuery(COLUMNS + "WHERE id = :id")
        .bind("id", id)
        .map((row, _) -> Approval.of(row))
        .findOne();
  }

  /** What people were asked and did not answer yet. */
  static Optional<Approval> awaited(Handle handle, Remediation of) {
    return handle
        .createQuery(
            COLUMNS
                + "WHERE grant_id = :grant AND host = :host AND step = :step AND answer IS NULL")
        .bind("grant", of.grant())
        .bind("host", of.host())
        .bind("step", of.step().name())
        .map((row, _) -> Approval.of(row))
        .findOne();
  }

  static boolean approved(Handle handle, Remediation of, Rung rung) {
    return rungs(handle, of, "answer = 'Approve'").contains(rung);
  }

  static Set<Rung> refused(Handle handle, Remediation of) {
    return rungs(handle, of, "answer = 'Refuse'");
  }

  private static Set<Rung> rungs(Handle handle, Remediation of, String condition) {
    return handle
        .createQuery(
            "SELECT rung FROM repair_approvals"
                + " WHERE grant_id = :grant AND host = :host AND step = :step AND "
                + condition)
        .bind("grant", of.grant())
        .bind("host", of.host())
        .bind("step", of.step().name())
        .mapTo(String.class)
        .map(Rung::of)
        .collect(Collectors.toSet());
  }

  /**
   * A new question.
   *
   * @param found what the diagnosis says
   */
  static Approval ask(Handle handle, Remediation of, Rung rung, String found) {
    String id = String.join(".", of.grant(), of.host(), of.step().name(), rung.word());
    handle
        .createUpdate(
            """
            INSERT INTO repair_approvals
              (id, grant_id, host, step, rung, found, remind_at, expires_at)
            VALUES (:id, :grant, :host, :step, :rung, :found,
                    clock_timestamp() + make_interval(secs => :remind),
                    clock_timestamp() + make_interval(secs => :expires))
            """)
        .bind("id", id)
        .bind("grant", of.grant())
        .bind("host", of.host())
        .bind("step", of.step().name())
        .bind("rung", rung.word())
        .bind("found", found)
        .bind("remind", REMIND.toSeconds())
        .bind("expires", EXPIRES.toSeconds())
        .execute();
    return find(handle, id).orElseThrow();
  }

  /** People are reminded now; the next time is later. */
  static void reminded(Handle handle, String id) {
    handle
        .createUpdate(
            """
            UPDATE repair_approvals
            SET remind_at = clock_timestamp() + make_interval(secs => :remind) WHERE id = :id
            """)
        .bind("remind", REMIND.toSeconds())
        .bind("id", id)
        .execute();
  }

  static void answer(Handle handle, String id, Answer answer) {
    handle
        .createUpdate(
            """
            UPDATE repair_approvals
            SET answer = :answer, answered_by = :by, answered_at = clock_timestamp(), reason = :reason
            WHERE id = :id AND answer IS NULL
            """)
        .bind("answer", answer.answer().name())
        .bind("by", answer.by())
        .bind("reason", answer.reason())
        .bind("id", id)
        .execute();
  }
}
