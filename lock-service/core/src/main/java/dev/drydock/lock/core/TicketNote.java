package dev.drydock.lock.core;

import java.util.List;

/**
 * What is said about a ticket under {@code verdicts/<id>}: why it waits, was turned away, or that
 * it ended. The last two are kept for a minute at least, so that a client can still ask.
 */
public record TicketNote(
    State state, String reason, String holder, List<String> hosts, LockRecord.Kind kind) {

  /** What became of the ticket. */
  public enum State {
    WAITING,
    REFUSED,
    ENDED
  }

  public TicketNote {
    hosts = List.copyOf(hosts);
  }
}
