package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.LockEnd;
import java.util.List;

/**
 * The grantor's doors for clients in its own process: whoever finds its hosts free needs no ticket,
 * and whoever is done lets the grantor end its lock together with what it grants by that.
 */
record Doors(Door<Guest> guests, Door<Departure> departures) {

  Doors() {
    this(new Door<>(), new Door<>());
  }

  /** Wants its hosts. Exactly one of the three ends is told. */
  interface Guest extends Door.Caller {
    Ticket ticket();

    /** It is decided about by no older state than that of this revision. */
    long since();

    /** Its hosts are locked, as of a revision. */
    void granted(long revision);

    /** It may be granted or not: to be read back. */
    void unsettled();
  }

  /**
   * Is done with its locks. It ends them itself once it has waited for a moment, so whoever does it
   * in its place has to {@link #claim} that first; then exactly one of the three ends is told.
   */
  interface Departure extends Door.Caller {
    List<LockEnd> ends();

    /** Whether it is the caller's now. */
    boolean claim();

    /** They have ended, as of a revision. */
    void ended(long revision);

    /** They may have ended or not: to be read back. */
    void unsettled();
  }

  void open(Runnable ring) {
    guests.open(ring);
    departures.open(ring);
  }

  void close() {
    guests.close();
    departures.close();
  }
}
