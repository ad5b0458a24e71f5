package dev.drydock.proto.client;

import dev.drydock.api.Event;
import java.util.List;

/**
 * Some events in their order; possibly none.
 *
 * @param cursor to be handed back for what comes after
 */
public record EventPage(List<Event> events, String cursor) {
  public EventPage {
    events = List.copyOf(events);
  }
}
