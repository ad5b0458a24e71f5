package dev.drydock.orchestrator.api;

import com.linkedin.restli.server.CollectionResult;
import com.linkedin.restli.server.NoMetadata;
import com.linkedin.restli.server.PagingContext;
import com.linkedin.restli.server.ResourceLevel;
import com.linkedin.restli.server.annotations.Action;
import com.linkedin.restli.server.annotations.ActionParam;
import com.linkedin.restli.server.annotations.Optional;
import com.linkedin.restli.server.annotations.PagingContextParam;
import com.linkedin.restli.server.annotations.QueryParam;
import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.annotations.RestMethod;
import com.linkedin.restli.server.resources.CollectionResourceTemplate;
import dev.drydock.api.Decision;
import dev.drydock.api.DecisionOption;
import dev.drydock.orchestrator.decision.DecisionRows.Wanted;
import dev.drydock.orchestrator.decision.Decisions;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.http.Paging;
import dev.drydock.platform.http.Projection;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.FieldMask;
import java.util.List;

/** What people are asked to decide about hosts of batches. */
@RestLiCollection(name = "decisions", namespace = "dev.drydock.api", keyName = "decision")
public final class DecisionsResource extends CollectionResourceTemplate<String, Decision> {
  private final Decisions decisions;

  public DecisionsResource(Decisions decisions) {
    this.decisions = decisions;
  }

  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.Get
  @Override
  public Decision get(String id) {
    return decisions
        .find(InputText.id(id, "UNKNOWN_DECISION"), Projection.of(getContext()))
        .orElseThrow(() -> ApiException.notFound("UNKNOWN_DECISION", "there is no decision " + id));
  }

  /** Those that wait for people first, then the others, newest first; in pages of at most 1000. */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.GetAll
  public CollectionResult<Decision, NoMetadata> list(
      @PagingContextParam(defaultCount = 100) PagingContext paging,
      @QueryParam("open") @Optional("false") boolean open,
      @QueryParam("rollout") @Optional("") String rollout,
      @QueryParam("host") @Optional("") String host) {
    FieldMask fieldMask = Projection.of(getContext());
    Wanted wanted = new Wanted(open, given(rollout), given(host));
    return Paging.answer(
        paging, Paging.COUNT_MAX, window -> decisions.page(wanted, window, fieldMask));
  }

  private static java.util.Optional<String> given(String text) {
    return java.util.Optional.of(text).filter(some -> !some.isEmpty());
  }

  /**
   * Answers it. The same answer of the same person twice is one; Force is asked for by one and
   * approved by another.
   */
  @Allow({Role.OPERATOR, Role.OWNER})
  @Action(name = "answer", resourceLevel = ResourceLevel.ENTITY)
  public Decision answer(
      @ActionParam("option") DecisionOption option,
      @ActionParam("reason") @Optional("") String reason) {
    String id =
        InputText.id(getContext().getPathKeys().getAsString("decision"), "UNKNOWN_DECISION");
    if (option == DecisionOption.$UNKNOWN) {
      throw ApiException.invalid(
          "INVALID_REQUEST", "option must be one of the choices of the decision", List.of());
    }
    decisions.answer(Caller.of(getContext()), id, option, InputText.reason(reason));
    return get(id);
  }
}
