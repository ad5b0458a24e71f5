package dev.drydock.orchestrator.remediation;

import dev.drydock.api.RepairApproval;
import dev.drydock.api.RepairApprovalAnswer;
import dev.drydock.orchestrator.remediation.Approvals.Answer;
import dev.drydock.orchestrator.remediation.Approvals.Approval;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.store.HostOwners;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.orchestrator.store.Wakeups;
import dev.drydock.orchestrator.store.WorkflowIds;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.Audit;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.Columns;
import dev.drydock.platform.store.Fields;
import dev.drydock.platform.store.Page;
import dev.drydock.platform.store.Window;
import dev.drydock.proto.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
          .field("host", "a.host")
          .field("step", "a.step")
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
                  .formatted(Approvals.BY_EXPIRY))
          .field("askedAt", "a.asked_at")
          .field("expiresAt", "a.expires_at")
          .field("answer", "a.answer")
          .field("answeredBy", "a.answered_by")
          .field("answeredAt", "a.answered_at")
          .field("answerReason", "a.reason")
          .complete();

  private final Jdbi jdbi;
  private final Transactor transactor;

  public RepairApprovals(Jdbi jdbi) {
    this.jdbi = jdbi;
    this.transactor = new Transactor(jdbi);
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
    transactor.call(
        handle -> {
          String grantId =
              Approvals.find(handle, id)
                  .map(Approval::grant)
                  .orElseThrow(
                      () ->
                          ApiException.notFound("UNKNOWN_QUESTION", "there is no question " + id));
          GrantRow grant = GrantRow.lock(handle, grantId);
          Approval asked = Approvals.find(handle, id).orElseThrow();
          if (asked.says().isPresent()) {
            throw closed(id, "was answered already: " + asked.answered());
          }
          boolean open =
              RemediationRows.last(handle, grantId, asked.host())
                  .filter(last -> last.open() && last.step().name().equals(asked.step()))
                  .isPresent();
          if (!open) {
            throw closed(id, "is over: nothing is tried on " + asked.host() + " any more");
          }
          if (by.role() == Role.OWNER
              && !HostOwners.include(handle, by, grantId, List.of(asked.host()))) {
            throw ApiException.forbidden(
                "NOT_YOUR_HOSTS", "nothing of team " + by.team() + " runs on " + asked.host());
          }
          Asking.answer(handle, grant, asked, new Answer(answer, by.name(), reason));
          Wakeups.add(handle, WorkflowIds.remediation(grantId, asked.host()), id);
          Audit.record(
              handle,
              by,
              "repair.answer",
              "repairApproval/" + id,
              Json.writeTree(Map.of("answer", answer.name(), "reason", reason)));
          return true;
        });
  }

  private static ApiException closed(String id, String why) {
    return ApiException.conflict(
        "QUESTION_CLOSED", "question " + id + " " + why + "; nothing was changed.");
  }
}
