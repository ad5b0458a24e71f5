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
import dev.drydock.api.BlockedBatch;
import dev.drydock.api.BlockedBatchAnswer;
import dev.drydock.orchestrator.blocked.BlockedQuestions;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.http.Paging;
import dev.drydock.platform.http.Projection;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.Fields;
import java.util.List;

/** Batches of which hosts failed, where people say what becomes of them. */
@RestLiCollection(name = "blockedBatches", namespace = "dev.drydock.api", keyName = "question")
public final class BlockedBatchesResource extends CollectionResourceTemplate<String, BlockedBatch> {
  private final BlockedQuestions questions;

  public BlockedBatchesResource(BlockedQuestions questions) {
    this.questions = questions;
  }

  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.Get
  @Override
  public BlockedBatch get(String id) {
    return questions
        .find(Texts.id(id, "UNKNOWN_QUESTION"), Projection.of(getContext()))
        .orElseThrow(() -> ApiException.notFound("UNKNOWN_QUESTION", "there is no question " + id));
  }

  /** Those that wait for people first, then the others, newest first; in pages of at most 1000. */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.GetAll
  public CollectionResult<BlockedBatch, NoMetadata> list(
      @PagingContextParam(defaultCount = 100) PagingContext paging) {
    Fields fields = Projection.of(getContext());
    return Paging.answer(paging, Paging.COUNT_MAX, window -> questions.page(window, fields));
  }

  /** Says what becomes of the batch. */
  @Allow({Role.OPERATOR, Role.OWNER})
  @Action(name = "answer", resourceLevel = ResourceLevel.ENTITY)
  public BlockedBatch answer(
      @ActionParam("answer") BlockedBatchAnswer answer,
      @ActionParam("reason") @Optional("") String reason) {
    String id = Texts.id(getContext().getPathKeys().getAsString("question"), "UNKNOWN_QUESTION");
    if (answer == BlockedBatchAnswer.$UNKNOWN) {
      throw ApiException.invalid(
          "INVALID_REQUEST", "answer must be Retry, GoOn or Abort", List.of());
    }
    questions.answer(Caller.of(getContext()), id, answer, Texts.reason(reason));
    return get(id);
  }
}
