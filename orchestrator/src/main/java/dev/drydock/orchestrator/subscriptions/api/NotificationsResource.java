package dev.drydock.orchestrator.subscriptions.api;

import com.linkedin.common.callback.Callback;
import com.linkedin.restli.server.CollectionResult;
import com.linkedin.restli.server.PagingContext;
import com.linkedin.restli.server.annotations.CallbackParam;
import com.linkedin.restli.server.annotations.Finder;
import com.linkedin.restli.server.annotations.Optional;
import com.linkedin.restli.server.annotations.PagingContextParam;
import com.linkedin.restli.server.annotations.QueryParam;
import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.resources.CollectionResourceTemplate;
import dev.drydock.api.ErrorDetail;
import dev.drydock.api.FeedPosition;
import dev.drydock.api.Notification;
import dev.drydock.orchestrator.subscriptions.SubscriptionReader;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.http.DeferredResponse;
import dev.drydock.platform.http.Unpaged;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Role;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What subscriptions are told. */
@RestLiCollection(name = "notifications", namespace = "dev.drydock.api", keyName = "notification")
public final class NotificationsResource extends CollectionResourceTemplate<String, Notification> {
  private static final int COUNT_MAX = 1000;
  private static final int WAIT_MILLIS_MAX = 30_000;

  private final SubscriptionReader subscriptionReader;

  public NotificationsResource(SubscriptionReader subscriptionReader) {
    this.subscriptionReader = subscriptionReader;
  }

  /**
   * At most {@code count} of what follows the acknowledged cursor of the subscription. Answers as
   * soon as there is something, or after {@code waitMillis} with nothing. The metadata has the
   * cursor to acknowledge once all of it is done with.
   */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @Finder("pending")
  @Unpaged("by what is acknowledged and count: there is no total")
  public void pending(
      @PagingContextParam(defaultCount = 100) PagingContext paging,
      @QueryParam("subscription") String subscription,
      @QueryParam("waitMillis") @Optional("0") int waitMillis,
      @CallbackParam Callback<CollectionResult<Notification, FeedPosition>> callback) {
    List<ErrorDetail> faults = new ArrayList<>();
    within(faults, "count", paging.getCount(), 1, COUNT_MAX);
    within(faults, "waitMillis", waitMillis, 0, WAIT_MILLIS_MAX);
    if (paging.getStart() != 0) {
      faults.add(ApiException.detail("start", "must be left out: acknowledge what is done with"));
    }
    CallFaults.require(faults);
    DeferredResponse.answer(
        subscriptionReader.pending(
            Caller.of(getContext()),
            subscription,
            paging.getCount(),
            Duration.ofMillis(waitMillis)),
        NotificationsResource::records,
        callback);
  }

  private static void within(
      List<ErrorDetail> faults, String field, int sent, int least, int most) {
    if (sent < least || sent > most) {
      faults.add(
          ApiException.detail(field, "is " + sent + ", must be from " + least + " to " + most));
    }
  }

  private static CollectionResult<Notification, FeedPosition> records(
      SubscriptionReader.Next next) {
    return new CollectionResult<>(
        next.notifications(), null, new FeedPosition().setCursor(String.valueOf(next.position())));
  }
}
