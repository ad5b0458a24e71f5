package dev.drydock.lock.etcd;

import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Replica;
import dev.drydock.lock.core.txn.StoreSnapshot;
import dev.drydock.lock.core.txn.StoredValue;
import dev.drydock.lock.core.txn.TicketTransactions;
import dev.drydock.lock.core.txn.TicketTransactions.Basis;
import dev.drydock.lock.core.txn.Transaction;
import io.etcd.jetcd.KeyValue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The queue for clients that only poll, of mode FLEETLOCK: they are granted holds, and only while
 * they ask, since nobody else would know of the grant. Each poll renews the lease of their place.
 * Looking and leaving is done at the {@link TicketClient}. Safe for use by many threads.
 */
public final class PolledTickets {
  private static final int ROUNDS_MAX = 20;
  private static final int PAUSES_GROW = 6;
  private static final Duration PAUSE_MAX = Duration.ofMillis(64);

  private final EtcdConnection etcd;
  private final EtcdMirror etcdMirror;
  private final TicketAnswers answers;

  PolledTickets(EtcdConnection etcd, EtcdMirror etcdMirror, TicketAnswers answers) {
    this.etcd = etcd;
    this.etcdMirror = etcdMirror;
    this.answers = answers;
  }

  /** What a host has of such clients, and what a new ticket relies on. */
  private record Found(Optional<String> id, long ended, long lock) {
    /** The id that a new ticket gets. */
    String next(String host, String prefix) {
      return prefix + host + "-" + ended;
    }
  }

  /** Puts a ticket into the queue. Its id is to be a new one; repeating it changes nothing. */
  public void submit(Ticket ticket) {
    String host = ticket.hosts().getFirst();
    long lease = lease(ticket);
    for (int round = 0; round < ROUNDS_MAX; round++) {
      Found found = find(host);
      if (took(ticket, new Basis(found.ended(), found.lock(), 0), lease)) {
        return;
      }
      if (known(ticket.id())) {
        giveBackUnused(lease, ticket.id());
        return;
      }
      giveWay(round);
    }
    throw keepsChanging(host);
  }

  /** Whether it is in the queue, or was. */
  private boolean known(String id) {
    return etcdMirror.askNow(
            replica -> replica.ticket(id).isPresent() || !replica.locksOf(id).isEmpty())
        || etcd.repeat(() -> etcd.get(new Key.Verdict(id))).isPresent();
  }

  /** Somebody else was faster: up to twice as long each time, and each for another time. */
  private static void giveWay(int round) {
    long most = PAUSE_MAX.toNanos() >> Math.max(0, PAUSES_GROW - round);
    LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(most + 1));
  }

  private static IllegalStateException keepsChanging(String host) {
    return new IllegalStateException("the lock on " + host + " keeps changing");
  }

  /**
   * The ticket under which a host waits, or the hold it was granted; made when there is none. Any
   * number of calls at once make one: its id follows from the host and what the last lock there
   * left behind.
   *
   * @param prefix of the ids of such tickets
   * @param ticket makes one with this id; asked for each id once, before it is written
   */
  public String enter(String host, String prefix, Function<String, Ticket> ticket) {
    Found found = find(host, prefix);
    if (found.id().isPresent()) {
      return found.id().get();
    }
    Ticket wanted = ticket.apply(found.next(host, prefix));
    long lease = lease(wanted);
    for (int round = 0; round < ROUNDS_MAX; round++) {
      Basis basis = new Basis(found.ended(), found.lock(), told(wanted.id()));
      if (took(wanted, basis, lease)) {
        return wanted.id();
      }
      giveWay(round);
      found = find(host, prefix);
      if (found.id().isPresent()) {
        giveBackUnused(lease, found.id().get());
        return found.id().get();
      }
      String next = found.next(host, prefix);
      wanted = next.equals(wanted.id()) ? wanted : ticket.apply(next);
    }
    throw keepsChanging(host);
  }

  private long told(String id) {
    return etcd.repeat(() -> etcd.get(new Key.Verdict(id)))
        .map(KeyValue::getModRevision)
        .orElse(0L);
  }

  /** How long its client counts as alive without another poll. */
  private long lease(Ticket ticket) {
    Duration unseen = Duration.ofSeconds(ticket.waitSeconds());
    return etcd.repeat(() -> etcd.grantLease(unseen));
  }

  private boolean took(Ticket ticket, Basis basis, long lease) {
    Transaction take = TicketTransactions.takePolled(ticket, basis, lease);
    return etcd.repeat(() -> etcd.commit(take)).isSucceeded();
  }

  /** What looked like a try in vain may have been one whose answer was lost: then it is in use. */
  private void giveBackUnused(long lease, String id) {
    boolean used =
        etcd.repeat(() -> etcd.get(new Key.Alive(id)))
            .filter(alive -> alive.getLease() == lease)
            .isPresent();
    if (!used) {
      etcd.revoke(lease);
    }
  }

  /** The ticket under which a host waits for such a hold, or the hold, as of now. */
  public Optional<String> waitingOrHeld(String host, String prefix) {
    return find(host, prefix).id();
  }

  private Found find(String host, String prefix) {
    return etcdMirror.askNow(
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
    return etcdMirror.askNow(replica -> found(replica, host, Optional.empty()));
  }

  private static Found found(Replica replica, String host, Optional<String> id) {
    StoreSnapshot now = replica.snapshot(List.of());
    return new Found(id, now.modifiedAt(new Key.Ended(host)), now.modifiedAt(new Key.Lock(host)));
  }

  /**
   * Returns when the ticket waits no more, as this process knows, or the time is over. Asks etcd
   * nothing, and may be a moment late.
   */
  public void await(String id, Duration longest) {
    long end = System.nanoTime() + longest.toNanos();
    try (TicketAnswers.Expected expected = answers.expect(id)) {
      while (etcdMirror.ask(replica -> replica.ticket(id).isPresent())
          && System.nanoTime() - end < 0) {
        expected.await(Duration.ofNanos(end - System.nanoTime()));
      }
    }
  }

  /**
   * The client of a ticket is alive and can be reached now: opens its poll.
   *
   * @param pollDeadline when it loses its place unless it polls again, for people
   * @param until when the poll is over at the latest; of several the last one counts
   * @return false when the ticket waits no more: granted, turned away or withdrawn
   */
  public boolean ask(String id, Instant pollDeadline, Instant until) {
    return polls(id, was -> was.withDeadline(pollDeadline).asking(Optional.of(until)))
        && etcdMirror.askNow(replica -> replica.ticket(id).isPresent());
  }

  /**
   * The poll that was open until then is over: unless a later one was opened meanwhile, no grant
   * comes once this returned.
   */
  public void close(String id, Instant pollDeadline, Instant until) {
    polls(
        id,
        was ->
            was.askingUntil().equals(Optional.of(until))
                ? was.withDeadline(pollDeadline).asking(Optional.empty())
                : was);
  }

  private boolean polls(String id, UnaryOperator<Ticket> poll) {
    Key.Ticket key = new Key.Ticket(id, 0);
    Optional<KeyValue> alive = etcd.repeat(() -> etcd.get(new Key.Alive(id)));
    if (alive.isEmpty() || !etcd.repeat(() -> etcd.keepAlive(alive.get().getLease()))) {
      return false;
    }
    for (int round = 0; round < ROUNDS_MAX; round++) {
      Optional<StoredValue<Ticket>> found = etcd.repeat(() -> etcd.read(key));
      if (found.isEmpty()) {
        return false;
      }
      Ticket polled = poll.apply(found.get().value());
      if (polled.equals(found.get().value())) {
        return true; // Told before, by a try whose answer was lost.
      }
      Transaction change = TicketTransactions.poll(found.get(), polled);
      if (etcd.repeat(() -> etcd.commit(change)).isSucceeded()) {
        return true; // What other polls of the host write now is theirs.
      }
      giveWay(round);
    }
    throw new IllegalStateException("ticket " + id + " keeps changing");
  }
}
