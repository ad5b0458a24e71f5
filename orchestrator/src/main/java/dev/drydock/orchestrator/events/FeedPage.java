package dev.drydock.orchestrator.events;

import java.util.List;

/**
 * What a reader got.
 *
 * @param position number up to which it has now seen everything that it wants
 */
public record FeedPage(List<FeedEvent> events, long position) {
  public FeedPage {
    events = List.copyOf(events);
  }
}
