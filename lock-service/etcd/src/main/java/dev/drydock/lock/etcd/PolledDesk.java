package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Ended;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Stored;
import dev.drydock.lock.core.txn.TicketTransactions;
import java.time.Instant;
import java.util.Optional;

/**
 * The queue for clients without a lease, of mode FLEETLOCK: they are granted holds, and only while
 * they ask, since nobody else would know of the grant. Looking and leaving is done at the {@link
 * TicketDesk}. Safe for use by many threads.
 */
public final class PolledDesk {
  private static final int ROUNDS_MAX = 20;

  private final EtcdConnection etcd;

  PolledDesk(EtcdConnection etcd) {
    this.etcd = etcd;
  }

  /** Puts a ticket into the queue. Its id is to be a new one; repeating it changes nothing. */
  public void submit(Ticket ticket) {
    Key.Ended left = new Key.Ended(ticket.hosts().getFirst());
    Optional<Stored<Ended>> ended = etcd.repeat(() -> etcd.read(left));
    long modified = ended.map(Stored::modified).orElse(0L);
    etcd.repeat(() -> etcd.commit(TicketTransactions.takePolled(ticket, modified)));
  }

  /**
   * Says whether the client of a ticket can be reached now.
   *
   * @param asking until when; empty takes it back, after which no grant comes
   * @return false when the ticket waits no more: granted, turned away or withdrawn
   */
  public boolean ask(String id, Instant pollDeadline, Optional<Instant> asking) {
    Key.Ticket key = new Key.Ticket(id, 0);
    for (int round = 0; round < ROUNDS_MAX; round++) {
      Optional<Stored<Ticket>> found = etcd.repeat(() -> etcd.read(key));
      if (found.isEmpty()) {
        return false;
      }
      boolean same =
          found.get().value().pollDeadline().equals(pollDeadline)
              && found.get().value().askingUntil().equals(asking);
      if (same) {
        return true; // Told before, by a try whose answer was lost.
      }
      etcd.repeat(() -> etcd.commit(TicketTransactions.poll(found.get(), pollDeadline, asking)));
    }
    throw new IllegalStateException("ticket " + id + " keeps changing");
  }
}
