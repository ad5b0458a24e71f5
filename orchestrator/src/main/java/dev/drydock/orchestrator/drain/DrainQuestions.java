package dev.drydock.orchestrator.drain;

import dev.drydock.api.DrainAnswer;
import dev.drydock.api.DrainQuestion;
import dev.drydock.impact.core.LateDrain;
import dev.drydock.orchestrator.batch.OverrunWriter;
import dev.drydock.orchestrator.core.drain.DrainAnswerRule;
import dev.drydock.orchestrator.core.drain.DrainAnswerRule.Outcome;
import dev.drydock.orchestrator.core.drain.DrainAnswerRule.Person;
import dev.drydock.orchestrator.core.drain.DrainAnswerRule.Question;
import dev.drydock.orchestrator.core.model.DrainOverrun;
import dev.drydock.orchestrator.core.model.DrainOverrun.Decided;
import dev.drydock.orchestrator.core.model.DrainOverrun.Decision;
import dev.drydock.orchestrator.core.model.Word;
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
                  .formatted(DrainOverrun.BY_EXPIRY))
          .field("askedAt", "l.at")
          .named("l", "expiresAt forceBy")
          .field("answer", "l.decision")
          .field("answeredBy", "l.decided_by")
          .field("answeredAt", "l.decided_at")
          .field("answerReason", "l.decided_reason")
          .complete();

  private static final String ASKED = "l.way IN ('Ask', 'Force')";

  private final Jdbi jdbi;
  private final Transactor transactor;
  private final Onward onward;

  /**
   * The questions.
   *
   * @param onward moves batches on when they are answered
   */
  public DrainQuestions(Jdbi jdbi, Onward onward) {
    this.jdbi = jdbi;
    this.transactor = new Transactor(jdbi);
    this.onward = onward;
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
          List<String> hosts = asked.overrun().hosts();
          requireOpen(grant, asked);
          Person person = new Person(by.name(), HostOwners.include(handle, by, grantId, hosts));
          if (by.role() == Role.OWNER && !person.owns()) {
            throw ApiException.forbidden(
                "NOT_YOUR_HOSTS", "nothing of team " + by.team() + " runs on " + hosts);
          }
          Outcome outcome =
              DrainAnswerRule.of(
                  question(handle, grant, asked), person, Word.of(Decision.class, answer.name()));
          Audit.record(
              handle,
              by,
              "drain.answer",
              "drainQuestion/" + id,
              Json.writeTree(Map.of("answer", answer.name(), "reason", reason, "hosts", hosts)));
          switch (outcome) {
            case Outcome.AsksForForce() -> askForce(handle, id, by.name());
            case Outcome.Decides(Decision decision) -> {
              Decided decided = new Decided(decision, by.name(), reason);
              new OverrunWriter(handle, grant).decide(asked.overrun(), decided);
              move.moved(handle, grantId, "drain answered");
            }
            case Outcome.Refused(String why) ->
                throw ApiException.conflict("SECOND_APPROVAL", why + "; nothing was changed.");
          }
          return true;
        });
  }

  private static Optional<String> grantOf(Handle handle, String id) {
    return Sql.find(
        handle,
        String.class,
        "SELECT grant_id FROM late_drains l WHERE id = :id AND " + ASKED,
        Map.of("id", id));
  }

  /**
   * A question as its row says.
   *
   * @param id of the question
   * @param expired whether its time for an answer is over by the clock of the database
   * @param forceBy who asked that what is left is stopped
   */
  private record Asked(
      String id, DrainOverrun overrun, boolean expired, Optional<String> forceBy) {}

  private static Asked read(Handle handle, String id) {
    DrainOverrun overrun = OverrunWriter.read(handle, id);
    return handle
        .createQuery(
            """
            SELECT force_by, expires_at <= clock_timestamp() AS expired
            FROM late_drains WHERE id = :id
            """)
        .bind("id", id)
        .map(
            (row, _) ->
                new Asked(
                    id,
                    overrun,
                    row.getBoolean("expired"),
                    Optional.ofNullable(row.getString("force_by"))))
        .one();
  }

  /** Somebody asked that what is left is stopped. Somebody else has to approve it. */
  private static void askForce(Handle handle, String id, String by) {
    Sql.update(
        handle,
        "UPDATE late_drains SET force_by = :by WHERE id = :id AND force_by IS NULL",
        Map.of("by", by, "id", id));
  }

  private static void requireOpen(GrantRow grant, Asked asked) {
    Optional<String> closed =
        asked
            .overrun()
            .decided()
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
                    asked.expired()
                        ? Optional.of(
                            "expired at "
                                + asked.overrun().expiresAt()
                                + ": its hosts are requeued")
                        : Optional.empty());
    if (closed.isPresent()) {
      throw ApiException.conflict(
          "QUESTION_CLOSED",
          "question " + asked.id() + " " + closed.get() + "; nothing was changed.");
    }
  }

  private static Question question(Handle handle, GrantRow grant, Asked asked) {
    String requester =
        Sql.one(
            handle,
            String.class,
            "SELECT requester FROM rollouts WHERE id = :id",
            Map.of("id", grant.rollout()));
    boolean forced = asked.overrun().way() == LateDrain.Way.FORCE;
    return new Question(forced, asked.forceBy(), requester);
  }
}
