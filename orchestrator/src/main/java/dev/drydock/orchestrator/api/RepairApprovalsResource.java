package dev.drydock.orchestrator.api;

import com.linkedin.restli.server.CollectionResult;
import com.linkedin.restli.server.NoMetadata;
import com.linkedin.restli.server.PagingContext;
import com.linkedin.restli.server.ResourceLevel;
import com.linkedin.restli.server.annotations.Action;
import com.linkedin.restli.server.annotations.ActionParam;
import com.linkedin.restli.server.annotations.Optional;
import com.linkedin.restli.server.annotations.PagingContextParam;
import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.annotations.RestMethod;
import com.linkedin.restli.server.resources.CollectionResourceTemplate;
import dev.drydock.api.RepairApproval;
import dev.drydock.api.RepairApprovalAnswer;
import dev.drydock.orchestrator.remediation.RepairApprovals;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.http.Paging;
import dev.drydock.platform.http.Projection;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.Fields;
import java.util.List;

/** What a person approves before it is tried on a host. */
@RestLiCollection(name = "repairApprovals", namespace = "dev.drydock.api", keyName = "question")
public final class RepairApprovalsResource
    extends CollectionResourceTemplate<String, RepairApproval> {
  private final RepairApprovals questions;

  public RepairApprovalsResource(RepairApprovals questions) {
    this.questions = questions;
  }

  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.Get
  @Override
  public RepairApproval get(String id) {
    return questions
        .find(Texts.id(id, "UNKNOWN_QUESTION"), Projection.of(getContext()))
        .orElseThrow(() -> ApiException.notFound("UNKNOWN_QUESTION", "there is no question " + id));
  }

  /** Those that wait for people first, then the others, newest first; in pages of at most 1000. */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.GetAll
  public CollectionResult<RepairApproval, NoMetadata> list(
      @PagingContextParam(defaultCount = 100) PagingContext paging) {
    Fields fields = Projection.of(getContext());
    return Paging.answer(paging, Paging.COUNT_MAX, window -> questions.page(window, fields));
  }

  /** Approves or refuses it. */
  @Allow({Role.OPERATOR, Role.OWNER})
  @Action(name = "answer", resourceLevel = ResourceLevel.ENTITY)
  public RepairApproval answer(
      @ActionParam("answer") RepairApprovalAnswer answer,
      @ActionParam("reason") @Optional("") String reason) {
    String id = Texts.id(getContext().getPathKeys().getAsString("question"), "UNKNOWN_QUESTION");
    if (answer == RepairApprovalAnswer.$UNKNOWN) {
      throw ApiException.invalid("INVALID_REQUEST", "answer must be Approve or Refuse", List.of());
    }
    questions.answer(Caller.of(getContext()), id, answer, Texts.reason(reason));
    return get(id);
  }
}
