package dev.drydock.orchestrator.remediation;

import dev.drydock.impact.core.Ladder.Rung;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * The rows of what people are asked to approve before it is tried. The caller holds the lock of the
 * grant.
 */
final class Approvals {
  private Approvals() {}

  /** A question as its row says; without an answer it waits for one. */
  record Approval(
      String id, String grant, String host, String step, String rung, Optional<String> says) {

    /** How it was answered, as the rest of a sentence. */
    String answered() {
      return says.orElse("not yet");
    }
  }

  static Optional<Approval> find(Handle handle, String id) {
    return handle
        .createQuery(
            """
            SELECT id, grant_id, host, step, rung,
                   answer || ' by ' || answered_by || CASE WHEN reason = '' THEN '' ELSE ': ' || reason END AS says
            FROM repair_approvals WHERE id = :id
            """)
        .bind("id", id)
        .map(
            (row, _) ->
                new Approval(
                    row.getString("id"),
                    row.getString("grant_id"),
                    row.getString("host"),
                    row.getString("step"),
                    row.getString("rung"),
                    Optional.ofNullable(row.getString("says"))))
        .findOne();
  }

  /** Whether people were asked and did not answer yet. */
  static boolean awaited(Handle handle, Remediation of) {
    return !rungs(handle, of, "answer IS NULL").isEmpty();
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
   * Asks.
   *
   * @param found what the diagnosis says
   * @return the question's id
   */
  static String ask(Handle handle, Remediation of, Rung rung, String found) {
    String id = String.join(".", of.grant(), of.host(), of.step().name(), rung.word());
    handle
        .createUpdate(
            """
            INSERT INTO repair_approvals (id, grant_id, host, step, rung, found)
            VALUES (:id, :grant, :host, :step, :rung, :found)
            """)
        .bind("id", id)
        .bind("grant", of.grant())
        .bind("host", of.host())
        .bind("step", of.step().name())
        .bind("rung", rung.word())
        .bind("found", found)
        .execute();
    return id;
  }

  static void answer(Handle handle, String id, String answer, String by, String reason) {
    handle
        .createUpdate(
            """
            UPDATE repair_approvals
            SET answer = :answer, answered_by = :by, answered_at = clock_timestamp(), reason = :reason
            WHERE id = :id AND answer IS NULL
            """)
        .bind("answer", answer)
        .bind("by", by)
        .bind("reason", reason)
        .bind("id", id)
        .execute();
  }
}
