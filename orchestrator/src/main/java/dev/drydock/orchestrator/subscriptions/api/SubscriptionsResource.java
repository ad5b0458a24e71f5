package dev.drydock.orchestrator.subscriptions.api;

import com.linkedin.restli.common.HttpStatus;
import com.linkedin.restli.server.CollectionResult;
import com.linkedin.restli.server.CreateResponse;
import com.linkedin.restli.server.NoMetadata;
import com.linkedin.restli.server.PagingContext;
import com.linkedin.restli.server.ResourceLevel;
import com.linkedin.restli.server.UpdateResponse;
import com.linkedin.restli.server.annotations.Action;
import com.linkedin.restli.server.annotations.ActionParam;
import com.linkedin.restli.server.annotations.Optional;
import com.linkedin.restli.server.annotations.PagingContextParam;
import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.annotations.RestMethod;
import com.linkedin.restli.server.resources.CollectionResourceTemplate;
import dev.drydock.api.ErrorDetail;
import dev.drydock.api.FeedPosition;
import dev.drydock.api.Subscription;
import dev.drydock.orchestrator.subscriptions.SubscriptionReader;
import dev.drydock.orchestrator.subscriptions.Subscriptions;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.http.Paging;
import dev.drydock.platform.http.Projection;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.FieldMask;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What teams want to be told, and how far their readers have come. A key is {@code TEAM~NAME}, or
 * the bare name of one of the caller's team. Callers of other teams find nothing.
 */
@RestLiCollection(name = "subscriptions", namespace = "dev.drydock.api", keyName = "subscription")
public final class SubscriptionsResource extends CollectionResourceTemplate<String, Subscription> {
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");
  private static final Pattern REASON = Pattern.compile("[^\\p{Cntrl}\\p{Cs}]{1,1000}");

  private final Subscriptions subscriptions;
  private final SubscriptionReader subscriptionReader;

  public SubscriptionsResource(Subscriptions subscriptions, SubscriptionReader subscriptionReader) {
    this.subscriptions = subscriptions;
    this.subscriptionReader = subscriptionReader;
  }

  /** It is told what happens from now on; the same again changes nothing. */
  @Allow({Role.OPERATOR, Role.OWNER})
  @RestMethod.Create
  @Override
  public CreateResponse create(Subscription wanted) {
    return new CreateResponse(
        subscriptions.create(caller(), wanted).toString(), HttpStatus.S_201_CREATED);
  }

  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.Get
  @Override
  public Subscription get(String id) {
    return subscriptions.get(caller(), id, Projection.of(getContext()));
  }

  /** Those of the caller's team, by name, in pages of at most 1000; an administrator's are all. */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.GetAll
  public CollectionResult<Subscription, NoMetadata> list(
      @PagingContextParam(defaultCount = 100) PagingContext paging) {
    FieldMask fieldMask = Projection.of(getContext());
    return Paging.answer(
        paging, Paging.COUNT_MAX, window -> subscriptions.page(caller(), window, fieldMask));
  }

  /** Forgets it and where its reader was; refused while a policy names it. */
  @Allow({Role.OPERATOR, Role.OWNER})
  @RestMethod.Delete
  @Override
  public UpdateResponse delete(String id) {
    subscriptions.delete(caller(), id);
    return new UpdateResponse(HttpStatus.S_204_NO_CONTENT);
  }

  /** The reader is done with everything up to the cursor. The same again is no error. */
  @Allow({Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @Action(name = "ack", resourceLevel = ResourceLevel.ENTITY)
  public FeedPosition ack(@ActionParam("cursor") String cursor) {
    List<ErrorDetail> faults = new ArrayList<>();
    long number = number(faults, cursor);
    CallFaults.require(faults);
    return position(subscriptionReader.acknowledge(caller(), id(), number));
  }

  /**
   * Gives again what comes after the cursor, or what happened since; cursor 0 is everything that is
   * kept.
   *
   * @param since milliseconds since 1970
   */
  @Allow({Role.OPERATOR, Role.OWNER})
  @Action(name = "replay", resourceLevel = ResourceLevel.ENTITY)
  public FeedPosition replay(
      @ActionParam("cursor") @Optional @Nullable String cursor,
      @ActionParam("since") @Optional @Nullable Long since,
      @ActionParam("reason") String reason) {
    List<ErrorDetail> faults = new ArrayList<>();
    if ((cursor == null) == (since == null)) {
      faults.add(ApiException.detail("cursor", "give either a cursor or since"));
    }
    long number = cursor == null ? 0 : number(faults, cursor);
    if (!REASON.matcher(reason).matches()) {
      faults.add(ApiException.detail("reason", "must be a line of at most 1000 characters"));
    }
    CallFaults.require(faults);
    return position(
        since == null
            ? subscriptionReader.replay(caller(), id(), number, reason)
            : subscriptionReader.replaySince(caller(), id(), Instant.ofEpochMilli(since), reason));
  }

  private Principal caller() {
    return Caller.of(getContext());
  }

  private String id() {
    return getContext().getPathKeys().getAsString("subscription");
  }

  private static FeedPosition position(long number) {
    return new FeedPosition().setCursor(String.valueOf(number));
  }

  private static long number(List<ErrorDetail> faults, String cursor) {
    if (NUMBER.matcher(cursor).matches()) {
      return Long.parseLong(cursor);
    }
    faults.add(ApiException.detail("cursor", "is not a cursor: give one back as it was received"));
    return 0;
  }
}
