package dev.drydock.orchestrator.decision;

import dev.drydock.api.Decision;
import dev.drydock.api.DecisionOption;
import dev.drydock.orchestrator.batch.BatchPolicies;
import dev.drydock.orchestrator.batch.DecisionWriter;
import dev.drydock.orchestrator.batch.PoliciesInForce;
import dev.drydock.orchestrator.batch.SnapshotReader;
import dev.drydock.orchestrator.core.batch.Choice;
import dev.drydock.orchestrator.core.batch.ClosedDecision;
import dev.drydock.orchestrator.core.batch.FailureAnswerRule;
import dev.drydock.orchestrator.core.drain.DrainAnswerRule;
import dev.drydock.orchestrator.core.drain.DrainAnswerRule.Outcome;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Decision.Answer;
import dev.drydock.orchestrator.core.model.Decision.Kind;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.NamedConstant;
import dev.drydock.orchestrator.store.BatchAdvancer;
import dev.drydock.orchestrator.store.BatchHosts;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.store.HostOwners;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.AuditTrail;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.Page;
import dev.drydock.platform.store.PageRequest;
import dev.drydock.platform.store.Sql;
import dev.drydock.proto.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * What people are asked to decide, and what they answer. An answer is decided under the lock of the
 * grant: it stands, or it is refused with what was decided before it. Safe for use by many threads.
 */
public final class Decisions {
  private final Jdbi jdbi;
  private final Transactor transactor;
  private final BatchAdvancer batchAdvancer;
  private final BatchPolicies policies;
  private final SnapshotReader reader;

  /**
   * The decisions.
   *
   * @param batchAdvancer moves batches on when they are answered
   * @param policies read before each transaction
   * @param reader of what tells which answers are possible
   */
  public Decisions(
      Jdbi jdbi, BatchAdvancer batchAdvancer, BatchPolicies policies, SnapshotReader reader) {
    this.jdbi = jdbi;
    this.transactor = new Transactor(jdbi);
    this.batchAdvancer = batchAdvancer;
    this.policies = policies;
    this.reader = reader;
  }

  public Optional<Decision> find(String id, FieldMask fieldMask) {
    return jdbi.withHandle(handle -> DecisionRows.find(handle, id, fieldMask));
  }

  /** Those that wait for people first, then the others, newest first. */
  public Page<Decision> page(
      DecisionRows.Wanted wanted, PageRequest pageRequest, FieldMask fieldMask) {
    return DecisionRows.page(jdbi, wanted, pageRequest, fieldMask);
  }

  /**
   * Answers. The same answer of the same person twice is one.
   *
   * @param reason why, for everybody who sees it
   * @throws ApiException 404 if there is no such decision; 409 with what became of it if it is not
   *     open any more, if the answer is not possible, or if it needs somebody else; 403 for an
   *     owner of nothing that runs there
   */
  public void answer(Principal by, String id, DecisionOption option, String reason) {
    BatchAdvancer.Move move = batchAdvancer.ready();
    PoliciesInForce inForce = policies.now();
    transactor.call(
        handle -> {
          String grantId =
              Sql.find(
                      handle,
                      String.class,
                      "SELECT grant_id FROM decisions WHERE id = :id AND asked",
                      Map.of("id", id))
                  .orElseThrow(
                      () ->
                          ApiException.notFound("UNKNOWN_DECISION", "there is no decision " + id));
          GrantRow grant = GrantRow.lock(handle, grantId);
          Decision asked = DecisionRows.find(handle, id, FieldMask.all()).orElseThrow();
          var decision = DecisionWriter.read(handle, id);
          Given given = new Given(by, option, reason);
          if (decision.answer().filter(given::repeats).isEmpty()) {
            BatchSnapshot batch = reader.read(handle, grantId, inForce);
            String became = grant.undo().or(grant::endState).orElse(grant.state());
            ClosedDecision.why(batch, decision, became)
                .ifPresent(why -> refuse("DECISION_CLOSED", asked, why));
            decide(handle, grant, new Asked(asked, decision, batch), given, move);
          }
          return true;
        });
  }

  private record Given(Principal by, DecisionOption option, String reason) {

    boolean repeats(Answer stands) {
      return stands.by().equals(by.name()) && stands.option() == answer().option();
    }

    Answer answer() {
      return new Answer(NamedConstant.of(Option.class, option.name()), by.name(), reason);
    }
  }

  /** What people are asked, as they read it and as the core has it, and the batch it is about. */
  private record Asked(
      Decision told, dev.drydock.orchestrator.core.model.Decision decision, BatchSnapshot batch) {}

  private static void decide(
      Handle handle, GrantRow grant, Asked about, Given given, BatchAdvancer.Move move) {
    Decision asked = about.told();
    List<String> hosts = List.copyOf(asked.getHosts());
    Principal by = given.by();
    boolean owns = HostOwners.include(handle, by, grant.id(), hosts);
    if (by.role() == Role.OWNER && !owns) {
      throw ApiException.forbidden(
          "NOT_YOUR_HOSTS", "nothing of team " + by.team() + " runs on " + hosts);
    }
    Answer answer = given.answer();
    impossible(about, answer.option()).ifPresent(why -> refuse("IMPOSSIBLE_ANSWER", asked, why));
    Outcome outcome =
        DrainAnswerRule.of(question(handle, asked), person(by, owns), answer.option());
    AuditTrail.record(
        handle,
        by,
        "decision.answer",
        "decision/" + asked.getId(),
        Json.writeTree(
            Map.of("option", given.option().name(), "reason", given.reason(), "hosts", hosts)));
    var decision = about.decision();
    DecisionWriter writer = new DecisionWriter(handle, grant);
    switch (outcome) {
      case Outcome.AsksForForce() -> writer.proposed(decision, answer);
      case Outcome.Decides(Option _) -> {
        writer.answered(decision, answer);
        BatchHosts.says(handle, grant.id(), hosts, "");
        move.moved(handle, grant.id(), "decided");
      }
      case Outcome.Refused(String why) ->
          throw ApiException.conflict("SECOND_APPROVAL", why + "; nothing was changed.");
    }
  }

  private static void refuse(String code, Decision asked, String why) {
    throw ApiException.conflict(
        code, "decision " + asked.getId() + " " + why + "; nothing was changed.");
  }

  private static Optional<String> impossible(Asked about, Option option) {
    Kind kind = about.decision().subject().kind();
    if (Choice.of(kind).stream().noneMatch(choice -> choice.option() == option)) {
      return Optional.of("cannot be answered " + option.word());
    }
    return kind == Kind.BLOCKED_BATCH
        ? FailureAnswerRule.impossible(
            FailureAnswerRule.Question.of(about.batch(), about.decision()), option)
        : Optional.empty();
  }

  private static DrainAnswerRule.Question question(Handle handle, Decision asked) {
    String requester =
        Sql.one(
            handle,
            String.class,
            "SELECT requester FROM rollouts WHERE id = :id",
            Map.of("id", asked.getRollout()));
    Optional<String> by = Optional.ofNullable(asked.getProposedBy());
    boolean forced = by.equals(Optional.of(dev.drydock.orchestrator.core.model.Decision.BY_POLICY));
    return new DrainAnswerRule.Question(forced, by, requester);
  }

  private static DrainAnswerRule.Person person(Principal by, boolean owns) {
    return new DrainAnswerRule.Person(by.name(), owns);
  }
}
