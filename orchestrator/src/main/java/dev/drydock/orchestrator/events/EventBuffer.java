package dev.drydock.orchestrator.events;

import java.util.ArrayList;
import java.util.List;

/**
 * The newest events in memory, shared by all readers. Immutable.
 *
 * @param floor events up to this number are not in it
 * @param head the highest number it knows of
 */
record EventBuffer(long floor, long head, List<FeedEvent> events) {
  /** Enough for readers that were away for a restart; each event is some hundred bytes. */
  static final int EVENTS_MAX = 4096;

  EventBuffer {
    events = List.copyOf(events);
  }

  /** This and the events that follow it; the oldest make room. */
  EventBuffer plus(List<FeedEvent> fresh) {
    List<FeedEvent> all = new ArrayList<>(events);
    all.addAll(fresh);
    int excess = Math.max(0, all.size() - EVENTS_MAX);
    long newFloor = excess == 0 ? floor : all.get(excess - 1).number();
    return new EventBuffer(newFloor, fresh.getLast().number(), all.subList(excess, all.size()));
  }

  /** The first {@code count} events of the filter after the position, which is not below floor. */
  FeedPage after(long position, FeedFilter filter, int count) {
    List<FeedEvent> found = new ArrayList<>();
    for (FeedEvent event : events.subList(start(position), events.size())) {
      if (filter.matches(event)) {
        found.add(event);
        if (found.size() == count) {
          return new FeedPage(found, event.number());
        }
      }
    }
    return new FeedPage(found, Math.max(position, head));
  }

  private int start(long position) {
    int low = 0;
    int high = events.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (events.get(middle).number() <= position) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
