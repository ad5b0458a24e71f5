package dev.drydock.orchestrator.events.api;

import dev.drydock.api.EventKind;
import dev.drydock.orchestrator.events.EventFeed;
import dev.drydock.orchestrator.events.FeedEvent;
import dev.drydock.orchestrator.events.FeedFilter;
import dev.drydock.orchestrator.events.FeedReader;
import dev.drydock.platform.http.StreamSource;
import dev.drydock.proto.Json;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/** What happened, as a stream of server-sent events whose ids are the cursors. */
public final class EventStream implements StreamSource {
  private static final int AT_ONCE = 100;
  private static final Set<String> PARAMETERS =
      new TreeSet<>(List.of("after", "host", "kind", "rollout"));

  private final EventFeed feed;

  public EventStream(EventFeed feed) {
    this.feed = feed;
  }

  @Override
  public OpenStream open(Wish wish) {
    FeedQuery query = new FeedQuery();
    for (String name : new TreeSet<>(wish.parameters().keySet())) {
      if (!PARAMETERS.contains(name)) {
        query.fault(name, "is not a parameter; there are " + String.join(", ", PARAMETERS));
      }
    }
    OptionalLong after =
        wish.lastEventId().isPresent()
            ? query.cursor("Last-Event-ID", wish.lastEventId())
            : query.cursor("after", one(query, wish, "after"));
    Set<EventKind> kinds = query.kinds("kind", wish.values("kind"));
    FeedFilter filter =
        query.filter(feed, one(query, wish, "rollout"), one(query, wish, "host"), kinds);
    FeedReader reader = feed.subscribe(after, filter);
    return new OpenStream() {
      @Override
      public List<Frame> next(Runnable ready) {
        return reader.next(AT_ONCE, ready).events().stream().map(EventStream::frame).toList();
      }

      @Override
      public void close() {
        reader.close();
      }
    };
  }

  private static Optional<String> one(FeedQuery query, Wish wish, String name) {
    List<String> values = wish.values(name);
    if (values.size() > 1) {
      query.fault(name, "is given " + values.size() + " times, must be given once");
    }
    return values.stream().findFirst();
  }

  private static StreamSource.Frame frame(FeedEvent event) {
    return new StreamSource.Frame(
        String.valueOf(event.number()), event.kind(), Json.write(EventRecords.event(event)));
  }
}
