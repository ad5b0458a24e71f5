package dev.drydock.lock.etcd;

import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Replica;
import dev.drydock.lock.core.txn.Snapshot;
import dev.drydock.lock.core.txn.Stored;
import dev.drydock.lock.core.txn.TicketTransactions;
import dev.drydock.lock.core.txn.TicketTransactions.Basis;
import dev.drydock.lock.core.txn.Transaction;
import io.etcd.jetcd.KeyValue;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The queue for clients without a lease, of mode FLEETLOCK: they are granted holds, and only while
 * they ask, since nobody else would know of the grant. Looking and leaving is done at the {@link
 * TicketDesk}. Safe for use by many threads.
 */
public final class PolledDesk {
  private static final int ROUNDS_MAX = 20;

  private final EtcdConnection etcd;
  private final Mirror mirror;

  PolledDesk(EtcdConnection etcd, Mirror mirror) {
    this.etcd = etcd;
    this.mirror = mirror;
  }

  /** What a host has of such clients, and what a new ticket relies on. */
  private record Found(Optional<String> id, long ended, long lock) {}

  /** Puts a ticket into the queue. Its id is to be a new one; repeating it changes nothing. */
  public void submit(Ticket ticket) {
    Found found = find(ticket.hosts().getFirst());
    Basis basis = new Basis(found.ended(), found.lock(), 0);
    etcd.repeat(() -> etcd.commit(TicketTransactions.takePolled(ticket, basis)));
  }

  /**
   * The ticket under which a host waits, or the hold it was granted; made when there is none. Any
   * number of calls at once make one: its id follows from the host and what the last lock there
   * left behind.
   *
   * @param prefix of the ids of such tickets
   * @param ticket makes one with this id
   */
  public String enter(String host, String prefix, Function<String, Ticket> ticket) {
    for (int round = 0; round < ROUNDS_MAX; round++) {
      Found found = find(host, prefix);
      if (found.id().isPresent()) {
        return found.id().get();
      }
      String id = prefix + host + "-" + found.ended();
      long told =
          etcd.repeat(() -> etcd.get(new Key.Verdict(id))).map(KeyValue::getModRevision).orElse(0L);
      Basis basis = new Basis(found.ended(), found.lock(), told);
      Transaction take = TicketTransactions.takePolled(ticket.apply(id), basis);
      if (etcd.repeat(() -> etcd.commit(take)).isSucceeded()) {
        return id;
      }
    }
    throw new IllegalStateException("the lock on " + host + " keeps changing");
  }

  /** The ticket under which a host waits for such a hold, or the hold, as of now. */
  public Optional<String> waitingOrHeld(String host, String prefix) {
    return find(host, prefix).id();
  }

  private Found find(String host, String prefix) {
    return mirror.askNow(
        replica -> {
          Optional<String> held =
              replica
                  .lockOn(host)
                  .filter(lock -> lock.kind() == LockRecord.Kind.FLEETLOCK)
                  .map(LockRecord::id)
                  .filter(id -> id.startsWith(prefix));
          Optional<String> waiting =
              replica.waiters().on(host).stream()
                  .filter(one -> one.mode() == Ticket.Mode.FLEETLOCK)
                  .map(Ticket::id)
                  .filter(id -> id.startsWith(prefix))
                  .findFirst();
          return found(replica, host, held.or(() -> waiting));
        });
  }

  private Found find(String host) {
    return mirror.askNow(replica -> found(replica, host, Optional.empty()));
  }

  private static Found found(Replica replica, String host, Optional<String> id) {
    Snapshot now = replica.snapshot(List.of());
    return new Found(id, now.modifiedAt(new Key.Ended(host)), now.modifiedAt(new Key.Lock(host)));
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
