package dev.drydock.orchestrator.drain;

import dev.drydock.api.DrainAnswer;
import dev.drydock.api.DrainQuestion;
import dev.drydock.impact.core.LateDrain;
import dev.drydock.orchestrator.core.drain.DrainAnswerRule;
import dev.drydock.orchestrator.core.drain.DrainAnswerRule.Outcome;
import dev.drydock.orchestrator.core.drain.DrainAnswerRule.Person;
import dev.drydock.orchestrator.core.drain.DrainAnswerRule.Question;
import dev.drydock.orchestrator.core.model.DrainOverrun;
import dev.drydock.orchestrator.drain.LateBatch.Decided;
import dev.drydock.orchestrator.drain.LateBatch.Decision;
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
 * What people are asked about hosts that were not drained in time, and what they answer. An answer
 * is decided under the lock of the grant: it stands, or it is refused with what was decided before
 * it. Safe for use by many threads.
 */
public final class DrainQuestions {
  private static final Columns<DrainQuestion> QUESTIONS =
      Columns.of(DrainQuestion.class, "late_drains l JOIN grants g ON g.id = l.grant_id")
          .field("id", "l.id")
          .field("rollout", "g.rollout")
          .field("grant", "l.grant_id")
          .field("hosts", "to_jsonb(l.hosts)")
          .field("onTimeout", "l.way")
          .field("pace", "l.pace")
          .field("reason", "l.says")
          .field(
              "state",
              """
              CASE WHEN l.decided_by = '%s' THEN 'Expired'
                   WHEN l.decision IS NOT NULL THEN 'Answered'
                   WHEN g.state <> 'granted' OR g.abort OR g.undo IS NOT NULL THEN 'Over'
                   WHEN l.force_by IS NOT NULL OR l.way = 'Force' THEN 'AwaitsApproval'
                   ELSE 'Open' END
              """
                  .formatted(LateBatches.BY_EXPIRY))
          .field("askedAt", "l.at")
          .field("expiresAt", "l.expires_at")
          .field("forceBy", "l.force_by")
          .field("answer", "l.decision")
          .field("answeredBy", "l.decided_by")
          .field("answeredAt", "l.decided_at")
          .field("answerReason", "l.decided_reason")
          .complete();

  private static final String ASKED = "l.way IN ('Ask', 'Force')";

  private final Jdbi jdbi;
  private final Transactor transactor;

  public DrainQuestions(Jdbi jdbi) {
    this.jdbi = jdbi;
    this.transactor = new Transactor(jdbi);
  }

  public Optional<DrainQuestion> find(String id, Fields fields) {
    return jdbi.withHandle(
        handle ->
            QUESTIONS.select(fields).where(ASKED).where("l.id = :id").bind("id", id).first(handle));
  }

  /** Those that wait for people first, then the others, newest first. */
  public Page<DrainQuestion> page(Window window, Fields fields) {
    return QUESTIONS
        .select(fields)
        .where(ASKED)
        .orderBy(
            "(l.decision IS NULL AND g.state = 'granted' AND g.undo IS NULL) DESC, l.at DESC, l.id")
        .page(jdbi, window);
  }

  /**
   * Answers a question.
   *
   * @param reason why, for everybody who sees it
   * @throws ApiException 404 if there is no such question; 409 with what became of it if it is not
   *     open any more, or if Force needs somebody else; 403 for an owner of nothing that runs there
   */
  public void answer(Principal by, String id, DrainAnswer answer, String reason) {
    transactor.call(
        handle -> {
          String grantId =
              LateBatches.find(handle, id)
                  .filter(row -> row.way().asks())
                  .map(LateBatch::grant)
                  .orElseThrow(
                      () ->
                          ApiException.notFound("UNKNOWN_QUESTION", "there is no question " + id));
          GrantRow grant = GrantRow.lock(handle, grantId);
          LateBatch row = LateBatches.find(handle, id).orElseThrow();
          requireOpen(grant, row);
          Person person =
              new Person(by.name(), HostOwners.include(handle, by, row.grant(), row.hosts()));
          if (by.role() == Role.OWNER && !person.owns()) {
            throw ApiException.forbidden(
                "NOT_YOUR_HOSTS", "nothing of team " + by.team() + " runs on " + row.hosts());
          }
          DrainOverrun.Decision decision = DrainOverrun.Decision.of(answer.name());
          switch (DrainAnswerRule.of(question(handle, grant, row), person, decision)) {
            case Outcome.AsksForForce() -> LateBatches.askForce(handle, row, by.name());
            case Outcome.Decides(DrainOverrun.Decision decided) -> {
              Decided how = new Decided(Decision.valueOf(decided.name()), by.name(), reason);
              LateBatches.decide(handle, grant, row, how);
              Wakeups.add(handle, WorkflowIds.batch(grantId), "drain answered");
            }
            case Outcome.Refused(String why) ->
                throw ApiException.conflict("SECOND_APPROVAL", why + "; nothing was changed.");
          }
          Audit.record(
              handle,
              by,
              "drain.answer",
              "drainQuestion/" + id,
              Json.writeTree(
                  Map.of("answer", answer.name(), "reason", reason, "hosts", row.hosts())));
          return true;
        });
  }

  private static void requireOpen(GrantRow grant, LateBatch row) {
    Optional<String> closed =
        row.decided()
            .map(decided -> "was decided already: " + decided.says())
            .or(
                () ->
                    grant.alive() && !grant.abort() && grant.undo().isEmpty()
                        ? Optional.empty()
                        : Optional.of(
                            "is over: its batch went back or ended ("
                                + grant.undo().or(grant::endState).orElse(grant.state())
                                + ")"))
            .or(
                () ->
                    row.expired()
                        ? Optional.of("expired at " + row.expiresAt() + ": its hosts are requeued")
                        : Optional.empty());
    if (closed.isPresent()) {
      throw ApiException.conflict(
          "QUESTION_CLOSED",
          "question " + row.id() + " " + closed.get() + "; nothing was changed.");
    }
  }

  private static Question question(Handle handle, GrantRow grant, LateBatch row) {
    String requester =
        handle
            .createQuery("SELECT requester FROM rollouts WHERE id = :id")
            .bind("id", grant.rollout())
            .mapTo(String.class)
            .one();
    boolean forced = row.way() == LateDrain.Way.FORCE;
    return new Question(forced, row.forceBy(), requester);
  }
}
