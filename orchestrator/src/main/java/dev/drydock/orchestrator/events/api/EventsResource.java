package dev.drydock.orchestrator.events.api;

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
import dev.drydock.api.Event;
import dev.drydock.api.EventKind;
import dev.drydock.api.FeedPosition;
import dev.drydock.orchestrator.events.EventFeed;
import dev.drydock.orchestrator.events.FeedFilter;
import dev.drydock.orchestrator.events.FeedPage;
import dev.drydock.platform.http.DeferredResponse;
import dev.drydock.platform.http.Unpaged;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Role;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What happened, in an order every reader sees alike. */
@RestLiCollection(name = "events", namespace = "dev.drydock.api", keyName = "event")
public final class EventsResource extends CollectionResourceTemplate<String, Event> {
  private static final int COUNT_MAX = 1000;
  private static final int WAIT_MILLIS_MAX = 30_000;

  private final EventFeed feed;

  public EventsResource(EventFeed feed) {
    this.feed = feed;
  }

  /**
   * At most {@code count} events after the cursor; without one, only those from now on. Answers as
   * soon as there is one, or after {@code waitMillis} with none. The metadata has the cursor to go
   * on with.
   */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @Finder("after")
  @Unpaged("by cursor and count: what a reader has seen is where it goes on, and there is no total")
  public void after(
      @PagingContextParam(defaultCount = 100) PagingContext paging,
      @QueryParam("cursor") @Optional @Nullable String cursor,
      @QueryParam("rollout") @Optional @Nullable String rollout,
      @QueryParam("host") @Optional @Nullable String host,
      @QueryParam("kinds") @Optional String @Nullable [] kinds,
      @QueryParam("waitMillis") @Optional("0") int waitMillis,
      @CallbackParam Callback<CollectionResult<Event, FeedPosition>> callback) {
    FeedQuery query = new FeedQuery();
    OptionalLong after = query.cursor("cursor", java.util.Optional.ofNullable(cursor));
    Set<EventKind> wanted = query.kinds("kinds", kinds == null ? List.of() : List.of(kinds));
    int wait = query.number("waitMillis", waitMillis, 0, WAIT_MILLIS_MAX);
    int count = query.number("count", paging.getCount(), 1, COUNT_MAX);
    if (paging.getStart() != 0) {
      query.fault("start", "must be left out: the cursor says where to go on");
    }
    FeedFilter filter =
        query.filter(
            feed,
            java.util.Optional.ofNullable(rollout),
            java.util.Optional.ofNullable(host),
            wanted);
    DeferredResponse.answer(
        feed.polls().poll(feed.subscribe(after, filter), count, Duration.ofMillis(wait)),
        EventsResource::records,
        callback);
  }

  private static CollectionResult<Event, FeedPosition> records(FeedPage feedPage) {
    return new CollectionResult<>(
        feedPage.events().stream().map(EventRecords::event).toList(),
        null,
        new FeedPosition().setCursor(String.valueOf(feedPage.position())));
  }
}
