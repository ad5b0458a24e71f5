package dev.drydock.orchestrator.events.api;

import dev.drydock.api.Event;
import dev.drydock.orchestrator.events.FeedEvent;

/** Events in the words of the wire. */
final class EventRecords {
  private EventRecords() {}

  static Event event(FeedEvent read) {
    Event event =
        new Event()
            .setCursor(String.valueOf(read.number()))
            .setAt(read.at().toEpochMilli())
            .setKind(read.kind())
            .setData(read.data());
    read.rollout().ifPresent(event::setRollout);
    read.host().ifPresent(event::setHost);
    return event;
  }
}
