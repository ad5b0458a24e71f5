package dev.drydock.orchestrator.remediation;

import dev.drydock.api.RepairApproval;
import dev.drydock.api.RepairApprovalAnswer;
import dev.drydock.orchestrator.batch.RepairWriter;
import dev.drydock.orchestrator.batch.RepairWriter.Answer;
import dev.drydock.orchestrator.batch.RepairWriter.Question;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.store.HostOwners;
import dev.drydock.orchestrator.store.Onward;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.Audit;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.Columns;
import dev.drydock.platform.store.Fields;
import dev.drydock.platform.store.Page;
import dev.drydock.platform.store.Sql;
import dev.drydock.platform.store.Window;
import dev.drydock.proto.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * What people are asked to approve before it is tried on a host, and what they answer. An answer is
 * decided under the lock of the grant: it stands, or it is refused with what became of the question
 * before it. Safe for use by many threads.
 */
public final class RepairApprovals {
  private static final Columns<RepairApproval> QUESTIONS =
      Columns.of(
              RepairApproval.class,
              """
              repair_approvals a
              JOIN remediations r USING (grant_id, host, step)
              JOIN grants g ON g.id = a.grant_id
              """)
          .field("id", "a.id")
          .field("rollout", "g.rollout")
          .field("grant", "a.grant_id")
          .named("a", "host step")
          .field("action", "a.rung")
          .field("reason", "r.reason")
          .field("found", "a.found")
          .field(
              "state",
              """
              CASE WHEN a.answered_by = '%s' THEN 'Expired'
                   WHEN a.answer IS NOT NULL THEN 'Answered'
                   WHEN r.state <> 'Open' THEN 'Over'
                   ELSE 'Open' END
              """
                  .formatted(RepairWriter.BY_EXPIRY))
          .named("a", "askedAt expiresAt answer answeredBy answeredAt")
          .field("answerReason", "a.reason")
          .complete();

  private final Jdbi jdbi;
  private final Transactor transactor;
  private final Onward onward;

  /**
   * The questions.
   *
   * @param onward moves batches on when they are answered
   */
  public RepairApprovals(Jdbi jdbi, Onward onward) {
    this.jdbi = jdbi;
    this.transactor = new Transactor(jdbi);
    this.onward = onward;
  }

  public Optional<RepairApproval> find(String id, Fields fields) {
    return jdbi.withHandle(
        handle -> QUESTIONS.select(fields).where("a.id = :id").bind("id", id).first(handle));
  }

  /** Those that wait for people first, then the others, newest first. */
  public Page<RepairApproval> page(Window window, Fields fields) {
    return QUESTIONS
        .select(fields)
        .orderBy("(a.answer IS NULL AND r.state = 'Open') DESC, a.asked_at DESC, a.id")
        .page(jdbi, window);
  }

  /**
   * Answers a question.
   *
   * @param reason why, for everybody who sees it
   * @throws ApiException 404 if there is no such question; 409 with what became of it if it is not
   *     open any more; 403 for an owner of nothing that runs there
   */
  public void answer(Principal by, String id, RepairApprovalAnswer answer, String reason) {
    Onward.Move move = onward.ready();
    transactor.call(
        handle -> {
          String grantId =
              grantOf(handle, id)
                  .orElseThrow(
                      () ->
                          ApiException.notFound("UNKNOWN_QUESTION", "there is no question " + id));
          GrantRow grant = GrantRow.lock(handle, grantId);
          Asked asked = read(handle, id);
          String host = asked.host();
          asked
              .answered()
              .ifPresent(
                  how -> {
                    throw closed(id, "was answered already: " + how);
                  });
          if (!asked.open()) {
            throw closed(id, "is over: nothing is tried on " + host + " any more");
          }
          if (by.role() == Role.OWNER && !HostOwners.include(handle, by, grantId, List.of(host))) {
            throw ApiException.forbidden(
                "NOT_YOUR_HOSTS", "nothing of team " + by.team() + " runs on " + host);
          }
          new RepairWriter(handle, grant)
              .answered(asked.question(), new Answer(answer.name(), by.name(), reason));
          Audit.record(
              handle,
              by,
              "repair.answer",
              "repairApproval/" + id,
              Json.writeTree(Map.of("answer", answer.name(), "reason", reason)));
          move.moved(handle, grantId, id);
          return true;
        });
  }

  private static Optional<String> grantOf(Handle handle, String id) {
    return Sql.find(
        handle,
        String.class,
        "SELECT grant_id FROM repair_approvals WHERE id = :id",
        Map.of("id", id));
  }

  /**
   * A question as its row says.
   *
   * @param answered how, by whom and why
   * @param open whether its remediation is
   */
  private record Asked(
      String id, String host, String step, String rung, Optional<String> answered, boolean open) {

    Question question() {
      return new Question(id, host, step, rung);
    }
  }

  private static Asked read(Handle handle, String id) {
    return Sql.one(
        handle,
        Asked.class,
        """
        SELECT a.id, a.host, a.step, a.rung, r.state = 'Open' AS open,
               a.answer || ' by ' || a.answered_by
                 || CASE WHEN a.reason = '' THEN '' ELSE ': ' || a.reason END AS answered
        FROM repair_approvals a JOIN remediations r USING (grant_id, host, step)
        WHERE a.id = :id
        """,
        Map.of("id", id));
  }

  private static ApiException closed(String id, String why) {
    return ApiException.conflict(
        "QUESTION_CLOSED", "question " + id + " " + why + "; nothing was changed.");
  }
}
