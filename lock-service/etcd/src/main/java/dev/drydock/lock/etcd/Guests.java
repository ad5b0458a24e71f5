package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Ticket;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Those who walked in and are decided about in one pass. When it ends each of them was told
 * something: without a grant to enter the queue, or to look what there is when nobody knows.
 * Confined to the grantor's thread.
 */
final class Guests implements AutoCloseable {
  private final Map<String, Doors.Guest> waiting = new LinkedHashMap<>();
  private final List<Ticket> requests = new ArrayList<>();
  private long since;
  private boolean doubtful;

  Guests(List<Doors.Guest> guests) {
    for (Doors.Guest guest : guests) {
      waiting.put(guest.ticket().id(), guest);
      since = Math.max(since, guest.since());
      requests.add(guest.ticket().walkingIn(requests.size() + 1));
    }
  }

  /** What they want, in order. */
  List<Ticket> requests() {
    return requests;
  }

  /** No older state may be decided by. */
  long since() {
    return since;
  }

  void granted(Ticket request, long revision) {
    Doors.Guest guest = waiting.remove(request.id());
    if (guest != null) {
      guest.granted(revision);
    }
  }

  /** From now on something may be on its way for them. */
  void sending() {
    doubtful = true;
  }

  /** Nothing that was sent for them is on its way any more. */
  void known() {
    doubtful = false;
  }

  @Override
  public void close() {
    waiting.values().forEach(doubtful ? Doors.Guest::unsettled : Doors.Guest::turnedBack);
    waiting.clear();
  }
}
