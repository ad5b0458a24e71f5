package dev.drydock.lock.etcd;

import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.HostQueue;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.MarkSequence;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.TicketNote;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.LivenessRecord;
import dev.drydock.lock.core.txn.Replica;
import dev.drydock.lock.core.txn.SessionRelease;
import dev.drydock.lock.core.txn.StoreSnapshot;
import dev.drydock.lock.core.txn.StoredValue;
import dev.drydock.lock.core.txn.TableCopy;
import dev.drydock.lock.core.txn.TicketTransactions;
import dev.drydock.lock.core.txn.Transaction;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.TxnResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The clients' side of the queue: take a ticket, look, renew, leave. Never grants anything. Every
 * method may be repeated with the same id. Safe for use by many threads.
 */
public final class TicketClient {
  private static final int ROUNDS_MAX = 20;

  private final EtcdConnection etcd;

  private final EtcdMirror mirror;
  private final LockDelays delays;
  private final TicketAnswers answers;
  private final MarkSequence marks;
  private final InstantSource clock;
  private final NoteLease notes;

  /** What it looks at and writes to. */
  record Parts(EtcdConnection etcd, EtcdMirror mirror, LockDelays delays, TicketAnswers answers) {}

  TicketClient(Parts parts, MarkSequence marks, InstantSource clock) {
    etcd = parts.etcd();
    mirror = parts.mirror();
    delays = parts.delays();
    answers = parts.answers();
    this.marks = marks;
    this.clock = clock;
    notes = new NoteLease(etcd);
  }

  /**
   * Whether {@code ticket} could ever be granted.
   *
   * @throws TicketTooLargeException when not
   */
  public void check(Ticket ticket) {
    TicketTooLargeException.check(etcd, ticket);
  }

  /**
   * Puts a ticket into the queue, its alive key with it; an id that is known already is answered as
   * it stands.
   *
   * @param firstLease how long the client counts as alive without renewing while the ticket waits;
   *     once granted, the ticket's {@code leaseSeconds} count
   * @throws TicketTooLargeException when it could never be granted
   */
  public RequestStatus submit(Ticket ticket, Duration firstLease) {
    check(ticket);
    Duration lease =
        ticket.onItsOwnLease() ? Duration.ofSeconds(ticket.leaseSeconds()) : firstLease;
    return enter(ticket, lease, false).known().orElseGet(() -> found(ticket.id()));
  }

  /**
   * What came of putting a ticket into the queue.
   *
   * @param known where the id stood already; empty when the ticket entered just now
   * @param lease that its client lives by, when it entered
   * @param revision at which the ticket was in the queue
   */
  private record Entered(Optional<RequestStatus> known, long lease, long revision) {}

  /**
   * Puts it there.
   *
   * @param isNew whether nobody can have used the id before
   */
  private Entered enter(Ticket ticket, Duration timeToLive, boolean isNew) {
    // The lease is older than the look for the id: a caller that sleeps through the life of an
    // earlier ticket of this id wakes up with a dead lease and cannot enqueue it a second time.
    long lease = etcd.repeat(() -> etcd.grantLease(timeToLive));
    Optional<RequestStatus> known = isNew ? Optional.empty() : find(ticket.id());
    if (known.isPresent()) {
      etcd.revoke(lease);
      return new Entered(known, 0, 0);
    }
    TxnResponse answer = etcd.repeat(() -> etcd.commit(TicketTransactions.take(ticket, lease)));
    return answer.isSucceeded()
        ? new Entered(Optional.empty(), lease, answer.getHeader().getRevision())
        : new Entered(Optional.of(found(ticket.id())), 0, 0);
  }

  private RequestStatus found(String id) {
    return find(id)
        .orElseThrow(() -> new IllegalStateException("ticket " + id + " did not enter the queue"));
  }

  /**
   * Puts a try into the queue and waits until it is granted or refused; an id that is known already
   * is waited for as well.
   *
   * @param isNew whether nobody can have used the id before, which saves looking for it
   * @param patience how long a grantor has to decide
   * @return where it stands then: a lock's lease began after this was called
   * @throws TicketTooLargeException when it could never be granted
   */
  public RequestStatus answer(Ticket ticket, boolean isNew, Duration patience) {
    check(ticket);
    String id = ticket.id();
    Duration unseen = Duration.ofSeconds(Math.max(ticket.leaseSeconds(), ticket.waitSeconds()));
    Duration timeToLive =
        ticket.onItsOwnLease() ? Duration.ofSeconds(ticket.leaseSeconds()) : unseen;
    long end = System.nanoTime() + patience.toNanos();
    try (TicketAnswers.Expected expected = answers.expect(id)) {
      Entered entered = enter(ticket, timeToLive, isNew);
      boolean waits = entered.known().map(RequestStatus.Waiting.class::isInstance).orElse(true);
      while (waits && System.nanoTime() - end < 0) {
        expected.await(earlier(timeToLive.dividedBy(3), Duration.ofNanos(end - System.nanoTime())));
        waits = mirror.ask(replica -> waits(replica, id, entered.revision()));
        if (waits && entered.lease() != 0) {
          etcd.repeat(() -> etcd.keepAlive(entered.lease())); // Its client waits for this call.
        }
      }
      Optional<RequestStatus> held = entered.lease() == 0 ? Optional.empty() : seen(id);
      return held.filter(one -> one instanceof RequestStatus.Held && ticket.onItsOwnLease())
          .or(() -> renew(id)) // Its lease has yet to begin, or began before this was called.
          .orElseGet(() -> found(id));
    }
  }

  private static boolean waits(Replica replica, String id, long entered) {
    return replica.revision() < entered || replica.ticket(id).isPresent();
  }

  private static Duration earlier(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /** Where {@code id} waits or what it holds as far as this process knows; asks etcd nothing. */
  public Optional<RequestStatus> seen(String id) {
    return mirror.ask(replica -> standing(replica, id)).map(Supplier::get);
  }

  /** Where {@code id} stands; empty when it was never heard of or is forgotten. */
  public Optional<RequestStatus> find(String id) {
    return mirror
        .askNow(replica -> standing(replica, id))
        .map(Supplier::get)
        .or(() -> note(id).or(() -> ended(id)).map(note -> new RequestStatus.Over(id, note)))
        .map(requestStatus -> explained(requestStatus));
  }

  /** What is still known once the note is gone; as long as this stands the id is not free. */
  private Optional<TicketNote> ended(String id) {
    List<EndedLock> left = mirror.ask(replica -> replica.leftBy(id));
    return left.stream()
        .findFirst()
        .map(
            end ->
                new TicketNote(
                    TicketNote.State.ENDED,
                    "ended by " + end.by() + ": " + end.reason(),
                    RequestStatus.UNKNOWN,
                    left.stream().map(EndedLock::host).toList(),
                    Kind.SESSION));
  }

  /** Every lock and every ticket, locks first, then in queue order. */
  public List<RequestStatus> all() {
    List<RequestStatus> standings = standings(mirror.askNow(TableCopy::of).table());
    if (standings.stream().noneMatch(TicketClient::unexplained)) {
      return standings;
    }
    Map<String, TicketNote> said = new HashMap<>();
    KeyLayout keyLayout = etcd.keys();
    for (KeyValue note : etcd.repeat(() -> etcd.range(keyLayout.verdicts()))) {
      if (keyLayout.read(note.getKey()).orElse(null) instanceof Key.Verdict key) {
        ValueCodec.believed(key, note).ifPresent(stored -> said.put(key.id(), stored.value()));
      }
    }
    return standings.stream()
        .map(one -> explained(one, Optional.ofNullable(said.get(one.id()))))
        .toList();
  }

  /** To be worked out once the mirror goes on: a place among thousands takes its time. */
  private Optional<Supplier<RequestStatus>> standing(Replica replica, String id) {
    List<LockRecord> locks = replica.locksOf(id);
    if (!locks.isEmpty()) {
      RequestStatus held = held(locks, replica::expired, replica::lapsed);
      return Optional.of(() -> held);
    }
    return replica
        .ticket(id)
        .map(ticket -> waiting(ticket, TableCopy.place(replica, ticket, etcd.config().backfill())));
  }

  /**
   * The locks of a session live by one key; that they lapsed is noted for each. Where it was broken
   * there is a quarantine instead, which lives by none.
   */
  private RequestStatus.Held held(
      List<LockRecord> locks, Predicate<LockRecord> expires, Predicate<LockRecord> lapses) {
    List<LockRecord> own = locks.stream().filter(lock -> lock.kind() == Kind.SESSION).toList();
    boolean expired = !own.isEmpty() && expires.test(own.getFirst());
    boolean lapsed = expired && own.stream().allMatch(lapses);
    return new RequestStatus.Held(
        locks, expired, lapsed, expired ? delays.until(own.getFirst()) : Optional.empty());
  }

  private static Supplier<RequestStatus> waiting(Ticket ticket, Supplier<HostQueue.Place> working) {
    return () -> {
      HostQueue.Place place = working.get();
      return new RequestStatus.Waiting(ticket, place, place.explanation());
    };
  }

  private List<RequestStatus> standings(LockTable table) {
    Map<String, List<LockRecord>> byId = new TreeMap<>();
    table.locks().values().stream()
        .sorted(Comparator.comparing(LockRecord::host))
        .forEach(lock -> byId.computeIfAbsent(lock.id(), id -> new ArrayList<>()).add(lock));
    List<RequestStatus> standings = new ArrayList<>();
    byId.values().forEach(locks -> standings.add(held(locks, table::expired, table::lapsed)));
    HostQueue.places(table, etcd.config().backfill())
        .forEach(
            (ticket, place) ->
                standings.add(new RequestStatus.Waiting(ticket, place, place.explanation())));
    return standings;
  }

  /** With what the grantor said, where the queue alone does not explain the wait. */
  private RequestStatus explained(RequestStatus requestStatus) {
    return unexplained(requestStatus)
        ? explained(requestStatus, note(requestStatus.id()))
        : requestStatus;
  }

  private static RequestStatus explained(RequestStatus requestStatus, Optional<TicketNote> said) {
    return requestStatus instanceof RequestStatus.Waiting waiting
            && unexplained(waiting)
            && said.isPresent()
        ? new RequestStatus.Waiting(waiting.ticket(), waiting.place(), said.get().reason())
        : requestStatus;
  }

  private static boolean unexplained(RequestStatus requestStatus) {
    return requestStatus instanceof RequestStatus.Waiting waiting && waiting.reason().isEmpty();
  }

  private Optional<TicketNote> note(String id) {
    return etcd.repeat(() -> etcd.read(new Key.Verdict(id))).map(StoredValue::value);
  }

  /**
   * The client is alive: its waiting ticket keeps its place, its lock goes on for another lease.
   *
   * @return where it stands afterwards; an expired lock stays expired
   */
  public Optional<RequestStatus> renew(String id) {
    Optional<RequestStatus> requestStatus = find(id);
    if (requestStatus.isEmpty() || requestStatus.get() instanceof RequestStatus.Over) {
      return requestStatus;
    }
    Optional<KeyValue> alive = etcd.repeat(() -> etcd.get(new Key.Alive(id)));
    if (alive.isEmpty()) {
      return find(id);
    }
    switch (requestStatus.get()) {
      case RequestStatus.Waiting waiting -> {
        etcd.repeat(() -> etcd.keepAlive(alive.get().getLease()));
        moveDeadline(waiting.ticket());
      }
      case RequestStatus.Held held when held.of(Kind.SESSION).isEmpty() -> {}
      case RequestStatus.Held held -> renewLock(held);
      case RequestStatus.Over over -> {}
    }
    return find(id);
  }

  private void moveDeadline(Ticket ticket) {
    Instant later = clock.instant().plusSeconds(ticket.waitSeconds());
    etcd.repeat(() -> etcd.commit(TicketTransactions.renew(ticket, later)));
  }

  /**
   * The first renewal may come before the grantor saw to the lock's own lease, or while it does: a
   * renewal that did not take is tried on what there is then, until the alive key is gone.
   */
  private void renewLock(RequestStatus.Held held) {
    for (int round = 0; round < ROUNDS_MAX; round++) {
      Optional<KeyValue> found = etcd.repeat(() -> etcd.get(new Key.Alive(held.id())));
      if (found.isEmpty() || renewed(held, found.get())) {
        return;
      }
    }
    throw new IllegalStateException("the lease of lock " + held.id() + " keeps changing");
  }

  private boolean renewed(RequestStatus.Held held, KeyValue found) {
    StoredValue<LivenessRecord> alive =
        ValueCodec.believed(new Key.Alive(held.id()), found).orElseThrow();
    return alive.value().waiting()
        ? LeaseStart.begin(
            etcd, new StoreSnapshot.Uncounted(held.of(Kind.SESSION).getFirst(), alive))
        : etcd.repeat(() -> etcd.keepAlive(found.getLease()));
  }

  /**
   * Leaves the queue or ends the lock of a client. Holds of batches are not ended here.
   *
   * @param by principal who asks
   * @return what was there before; the caller refuses holds beforehand
   */
  public Optional<RequestStatus> leave(String id, String by, String reason) {
    Optional<RequestStatus> before = find(id);
    before.ifPresent(requestStatus -> leave(requestStatus, by, reason));
    return before;
  }

  /** The same for who knows where the id stood a moment ago: what changed since is looked at. */
  public void leave(RequestStatus before, String by, String reason) {
    String id = before.id();
    Optional<RequestStatus> requestStatus = Optional.of(before);
    for (int round = 0; round < ROUNDS_MAX; round++) {
      Optional<Transaction> leaving = requestStatus.flatMap(found -> leaving(found, by, reason));
      if (leaving.isEmpty()) {
        return;
      }
      try {
        TxnResponse answer = etcd.repeat(() -> etcd.commit(leaving.get()));
        if (answer.isSucceeded()) {
          return;
        }
      } catch (EtcdRefusedException leaseGone) {
        notes.forget();
      }
      requestStatus = find(id);
    }
    throw new IllegalStateException("the locks of " + id + " keep changing");
  }

  /** Tells for a while that people ended the quarantine of {@code lock}. */
  public void tellEnd(LockRecord lock, String by, String reason) {
    try {
      etcd.repeat(() -> etcd.commit(TicketTransactions.tellEnd(lock, by, reason, notes.id())));
    } catch (EtcdRefusedException leaseGone) {
      notes.forget();
      etcd.repeat(() -> etcd.commit(TicketTransactions.tellEnd(lock, by, reason, notes.id())));
    }
  }

  private Optional<Transaction> leaving(RequestStatus requestStatus, String by, String reason) {
    return switch (requestStatus) {
      case RequestStatus.Waiting waiting ->
          Optional.of(TicketTransactions.leave(waiting.ticket(), by, reason, notes.id()));
      case RequestStatus.Held held -> {
        List<LockRecord> own = held.ofClient();
        if (own.isEmpty()) {
          yield Optional.empty();
        }
        Optional<SessionRelease> session = mirror.ask(replica -> replica.release(held.id()));
        long mark = marks.next();
        yield Optional.of(
            session
                .map(lock -> TicketTransactions.release(lock, mark, by, reason, notes.id()))
                .orElseGet(() -> TicketTransactions.release(own, mark, by, reason, notes.id())));
      }
      case RequestStatus.Over over -> Optional.empty();
    };
  }
}
