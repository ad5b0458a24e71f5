package dev.drydock.orchestrator.blocked;

import dev.drydock.api.BlockedBatch;
import dev.drydock.api.BlockedBatchAnswer;
import dev.drydock.orchestrator.blocked.Blockage.Decided;
import dev.drydock.orchestrator.blocked.Blockage.Decision;
import dev.drydock.orchestrator.core.batch.FailureAnswerRule;
import dev.drydock.orchestrator.core.batch.FailureAnswerRule.Question;
import dev.drydock.orchestrator.core.model.HostFailure;
import dev.drydock.orchestrator.jobs.JobRow;
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
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * What people are asked about batches of which hosts failed, and what they answer. An answer is
 * decided under the lock of the grant: it stands, or it is refused with what was decided before it.
 * Safe for use by many threads.
 */
public final class BlockedQuestions {
  private static final Columns<BlockedBatch> QUESTIONS =
      Columns.of(BlockedBatch.class, "blocked_batches b JOIN grants g ON g.id = b.grant_id")
          .field("id", "b.id")
          .field("rollout", "g.rollout")
          .field("grant", "b.grant_id")
          .field("hosts", "to_jsonb(b.hosts)")
          .field("step", "b.step")
          .field(
              "reason",
              """
              (SELECT string_agg(r.value, '; ' ORDER BY r.value)
               FROM (SELECT DISTINCT value FROM jsonb_each_text(b.reasons)) r)
              """)
          .field("goesBack", "b.goes_back")
          .field(
              "state",
              """
              CASE WHEN b.decision IS NOT NULL THEN 'Answered'
                   WHEN g.state <> 'granted' OR g.abort OR (g.undo IS NOT NULL) <> b.goes_back
                   THEN 'Over'
                   ELSE 'Open' END
              """)
          .field("askedAt", "b.at")
          .field("answer", "b.decision")
          .field("answeredBy", "b.decided_by")
          .field("answeredAt", "b.decided_at")
          .field("answerReason", "b.decided_reason")
          .complete();

  private final Jdbi jdbi;
  private final Transactor transactor;

  public BlockedQuestions(Jdbi jdbi) {
    this.jdbi = jdbi;
    this.transactor = new Transactor(jdbi);
  }

  public Optional<BlockedBatch> find(String id, Fields fields) {
    return jdbi.withHandle(
        handle -> QUESTIONS.select(fields).where("b.id = :id").bind("id", id).first(handle));
  }

  /** Those that wait for people first, then the others, newest first. */
  public Page<BlockedBatch> page(Window window, Fields fields) {
    return QUESTIONS
        .select(fields)
        .orderBy("(b.decision IS NULL AND g.state = 'granted') DESC, b.at DESC, b.id")
        .page(jdbi, window);
  }

  /**
   * Answers a question.
   *
   * @param reason why, for everybody who sees it
   * @throws ApiException 404 if there is no such question; 409 with what became of it if it is not
   *     open any more, or if the answer is not possible; 403 for an owner of nothing that runs
   *     there
   */
  public void answer(Principal by, String id, BlockedBatchAnswer answer, String reason) {
    transactor.call(
        handle -> {
          String grantId =
              BlockedBatches.find(handle, id)
                  .map(Blockage::grant)
                  .orElseThrow(
                      () ->
                          ApiException.notFound("UNKNOWN_QUESTION", "there is no question " + id));
          GrantRow grant = GrantRow.lock(handle, grantId);
          Blockage row = BlockedBatches.find(handle, id).orElseThrow();
          Question question = question(handle, grant, row);
          FailureAnswerRule.closed(question).ifPresent(why -> refuse("QUESTION_CLOSED", id, why));
          if (by.role() == Role.OWNER && !HostOwners.include(handle, by, grantId, row.hosts())) {
            throw ApiException.forbidden(
                "NOT_YOUR_HOSTS", "nothing of team " + by.team() + " runs on " + row.hosts());
          }
          FailureAnswerRule.impossible(question, HostFailure.Decision.of(answer.name()))
              .ifPresent(why -> refuse("IMPOSSIBLE_ANSWER", id, why));
          BlockedBatches.answered(
              handle, grant, row, new Decided(Decision.of(answer.name()), by.name(), reason));
          Wakeups.add(handle, WorkflowIds.batch(grantId), "unblocked");
          Audit.record(
              handle,
              by,
              "blocked.answer",
              "blockedBatch/" + id,
              Json.writeTree(
                  Map.of("answer", answer.name(), "reason", reason, "hosts", row.hosts())));
          return true;
        });
  }

  private static void refuse(String code, String id, String why) {
    throw ApiException.conflict(code, "question " + id + " " + why + "; nothing was changed.");
  }

  private static Question question(Handle handle, GrantRow grant, Blockage row) {
    boolean turned = grant.undo().isPresent() != row.goesBack();
    return new Question(
        row.decided().map(Decided::says),
        row.goesBack(),
        !grant.alive() || grant.abort() || turned,
        grant.undo().or(grant::endState).orElse(grant.state()),
        row.jobs().stream()
            .flatMap(job -> JobRow.ifLast(handle, job).stream())
            .filter(job -> job.hook() == 0 && job.lost())
            .map(JobRow::host)
            .toList(),
        updated(handle, grant));
  }

  private static boolean updated(Handle handle, GrantRow grant) {
    return handle
        .createQuery(
            """
            SELECT EXISTS (SELECT FROM jobs
                           WHERE grant_id = :grant AND step = 'Update' AND attempt > 0)
            """)
        .bind("grant", grant.id())
        .mapTo(Boolean.class)
        .one();
  }
}
