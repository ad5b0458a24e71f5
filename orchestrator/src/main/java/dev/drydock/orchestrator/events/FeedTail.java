package dev.drydock.orchestrator.events;

import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.http.HttpStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The end of the feed, read once per process and given to all its readers. {@link #advance} is
 * called by one thread; everything else by many.
 */
final class FeedTail {
  private static final int READ_AT_ONCE = 500;

  private final EventRows rows;
  private final Map<FeedReader, Runnable> waiting = new ConcurrentHashMap<>();
  private volatile EventBuffer eventBuffer;

  /** A tail that knows the newest events. */
  FeedTail(EventRows rows) {
    this.rows = rows;
    long head = rows.head();
    List<FeedEvent> newest =
        rows.between(head - EventBuffer.EVENTS_MAX, head, FeedFilter.ALL, EventBuffer.EVENTS_MAX);
    this.eventBuffer =
        new EventBuffer(newest.isEmpty() ? head : newest.getFirst().number() - 1, head, newest);
  }

  /** Reads what was numbered since, and wakes who waits for it. */
  void advance() {
    List<FeedEvent> fresh;
    do {
      fresh = rows.between(eventBuffer.head(), Long.MAX_VALUE, FeedFilter.ALL, READ_AT_ONCE);
      if (!fresh.isEmpty()) {
        eventBuffer = eventBuffer.plus(fresh);
        wake(fresh);
      }
    } while (fresh.size() == READ_AT_ONCE);
  }

  private void wake(List<FeedEvent> fresh) {
    waiting.forEach(
        (reader, ready) -> {
          if (fresh.stream().anyMatch(reader.filter()::matches) && waiting.remove(reader, ready)) {
            ready.run();
          }
        });
  }

  /**
   * A reader of what comes after the number, or from now on; after 0 is from the oldest that is
   * kept.
   *
   * @throws ApiException 410 if events after the number are gone, or it was never given
   */
  FeedReader subscribe(OptionalLong after, FeedFilter filter) {
    if (after.isEmpty()) {
      return new FeedReader(this, filter, eventBuffer.head());
    }
    long position = after.getAsLong() == 0 ? oldestPosition() : after.getAsLong();
    if (position > eventBuffer.head()) {
      // Another process may have told it the number before this one has read it.
      long head = rows.head();
      if (position > head) {
        throw gone("cursor " + position + " is after the newest event, " + head);
      }
    } else if (position < eventBuffer.floor()) {
      requireKept(position);
    }
    return new FeedReader(this, filter, position);
  }

  private long oldestPosition() {
    return eventBuffer.floor() == 0 ? 0 : rows.oldest() - 1;
  }

  FeedPage read(long position, FeedFilter filter, int count) {
    EventBuffer now = eventBuffer;
    if (position >= now.floor()) {
      return now.after(position, filter, count);
    }
    List<FeedEvent> found = new ArrayList<>();
    long read = position;
    List<FeedEvent> some;
    do {
      some = rows.between(read, now.head(), filter, count);
      some.stream().filter(filter::matches).limit(count - found.size()).forEach(found::add);
      read = some.size() < count ? now.head() : some.getLast().number();
    } while (found.size() < count && read < now.head());
    // Asked after reading: what is still kept now was kept then.
    requireKept(position);
    return new FeedPage(found, found.size() == count ? found.getLast().number() : read);
  }

  /** The last number that is not kept any more. */
  long forgotten() {
    return rows.oldest() - 1;
  }

  /** The highest number given so far, by whichever process. */
  long head() {
    return Math.max(eventBuffer.head(), rows.head());
  }

  private void requireKept(long position) {
    long oldest = rows.oldest();
    if (position + 1 < oldest) {
      throw gone("events after cursor " + position + " are not kept any more");
    }
  }

  private ApiException gone(String what) {
    return new ApiException(
        HttpStatus.GONE,
        "CursorGone",
        what
            + "; the oldest cursor is "
            + (rows.oldest() - 1)
            + ". Begin again from cursor 0, the oldest event kept, or without one, from now on",
        List.of());
  }

  /** Calls {@code ready} once when there is something for the reader. */
  void await(FeedReader reader, Runnable ready) {
    waiting.put(reader, ready);
  }

  void forget(FeedReader reader) {
    waiting.remove(reader);
  }

  /** How many readers wait now. */
  int waiting() {
    return waiting.size();
  }
}
