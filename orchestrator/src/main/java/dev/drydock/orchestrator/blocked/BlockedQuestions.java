package dev.drydock.orchestrator.blocked;

import dev.drydock.api.BlockedBatch;
import dev.drydock.api.BlockedBatchAnswer;
import dev.drydock.orchestrator.batch.FailureWriter;
import dev.drydock.orchestrator.core.batch.FailureAnswerRule;
import dev.drydock.orchestrator.core.batch.FailureAnswerRule.Question;
import dev.drydock.orchestrator.core.model.HostFailure;
import dev.drydock.orchestrator.core.model.HostFailure.Decided;
import dev.drydock.orchestrator.core.model.HostFailure.Decision;
import dev.drydock.orchestrator.core.model.Word;
import dev.drydock.orchestrator.store.BatchHosts;
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
  private final Onward onward;

  /**
   * The questions.
   *
   * @param onward moves batches on when they are answered
   */
  public BlockedQuestions(Jdbi jdbi, Onward onward) {
    this.jdbi = jdbi;
    this.transactor = new Transactor(jdbi);
    this.onward = onward;
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
    Onward.Move move = onward.ready();
    transactor.call(
        handle -> {
          String grantId =
              grantOf(handle, id)
                  .orElseThrow(
                      () ->
                          ApiException.notFound("UNKNOWN_QUESTION", "there is no question " + id));
          GrantRow grant = GrantRow.lock(handle, grantId);
          HostFailure failure = FailureWriter.read(handle, id);
          Question question = question(handle, grant, failure);
          FailureAnswerRule.closed(question).ifPresent(why -> refuse("QUESTION_CLOSED", id, why));
          List<String> hosts = failure.reasons().keySet().stream().sorted().toList();
          if (by.role() == Role.OWNER && !HostOwners.include(handle, by, grantId, hosts)) {
            throw ApiException.forbidden(
                "NOT_YOUR_HOSTS", "nothing of team " + by.team() + " runs on " + hosts);
          }
          Decision decision = Word.of(Decision.class, answer.name());
          FailureAnswerRule.impossible(question, decision)
              .ifPresent(why -> refuse("IMPOSSIBLE_ANSWER", id, why));
          new FailureWriter(handle, grant)
              .answered(failure, new Decided(decision, by.name(), reason));
          BatchHosts.says(handle, grantId, hosts, "");
          Audit.record(
              handle,
              by,
              "blocked.answer",
              "blockedBatch/" + id,
              Json.writeTree(Map.of("answer", answer.name(), "reason", reason, "hosts", hosts)));
          move.moved(handle, grantId, "unblocked");
          return true;
        });
  }

  private static Optional<String> grantOf(Handle handle, String id) {
    return Sql.find(
        handle,
        String.class,
        "SELECT grant_id FROM blocked_batches WHERE id = :id",
        Map.of("id", id));
  }

  private static void refuse(String code, String id, String why) {
    throw ApiException.conflict(code, "question " + id + " " + why + "; nothing was changed.");
  }

  private static Question question(Handle handle, GrantRow grant, HostFailure failure) {
    boolean turned = grant.undo().isPresent() != failure.goingBack();
    return new Question(
        failure.decided().map(Decided::says),
        failure.goingBack(),
        !grant.alive() || grant.abort() || turned,
        grant.undo().or(grant::endState).orElse(grant.state()),
        lost(handle, failure),
        updated(handle, grant));
  }

  /** Hosts whose state is unknown since their last job. */
  private static List<String> lost(Handle handle, HostFailure failure) {
    return Sql.texts(
        handle,
        """
        SELECT j.host FROM jobs j
        WHERE j.id = ANY(:jobs) AND j.hook IS NULL
          AND (j.state = 'Unknown' OR (j.state = 'Expired' AND j.attempt > 0))
          AND NOT EXISTS (SELECT FROM jobs later
                          WHERE later.grant_id = j.grant_id AND later.step = j.step
                            AND later.host = j.host AND later.round > j.round)
        ORDER BY j.host
        """,
        Map.of("jobs", failure.jobs()));
  }

  private static boolean updated(Handle handle, GrantRow grant) {
    return Sql.yes(
        handle,
        """
        SELECT EXISTS (SELECT FROM jobs
                       WHERE grant_id = :grant AND step = 'Update' AND attempt > 0)
        """,
        Map.of("grant", grant.id()));
  }
}
