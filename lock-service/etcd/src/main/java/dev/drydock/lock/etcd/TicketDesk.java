package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Ended;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.MarkSequence;
import dev.drydock.lock.core.Queue;
import dev.drydock.lock.core.Ticket;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.TxnResponse;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The clients' side of the queue: take a ticket, look, renew, leave. Never grants anything. Every
 * method may be repeated with the same id. Safe for use by many threads.
 */
public final class TicketDesk {
  private static final int ROUNDS_MAX = 20;

  private final EtcdConnection etcd;
  private final Keys keys;
  private final MarkSequence marks;
  private final InstantSource clock;
  private final NoteLease notes;

  TicketDesk(EtcdConnection etcd, MarkSequence marks, InstantSource clock) {
    this.etcd = etcd;
    this.marks = marks;
    this.clock = clock;
    keys = etcd.keys();
    notes = new NoteLease(etcd);
  }

  /**
   * Puts a ticket into the queue, its alive key with it; an id that is known already is answered as
   * it stands.
   *
   * @param firstLease how long the client counts as alive without renewing while the ticket waits;
   *     once granted, the ticket's {@code leaseSeconds} count
   */
  public Standing submit(Ticket ticket, Duration firstLease) {
    // The lease is older than the look for the id: a caller that sleeps through the life of an
    // earlier ticket of this
    // id wakes up with a dead lease and cannot enqueue it a second time.
    long lease = etcd.repeat(() -> etcd.grantLease(firstLease));
    Optional<Standing> known = find(ticket.id());
    if (known.isPresent()) {
      etcd.revoke(lease);
      return known.get();
    }
    etcd.repeat(() -> etcd.commit(entry(ticket, lease)));
    known = find(ticket.id());
    return known.orElseThrow(
        () -> new IllegalStateException("ticket " + ticket.id() + " did not enter the queue"));
  }

  private Transaction entry(Ticket ticket, long lease) {
    return new Transaction("take ticket")
        .ifAbsent(keys.ticket(ticket.id(), 0))
        .ifAbsent(keys.alive(ticket.id()))
        .ifAbsent(keys.verdict(ticket.id()))
        .putLeased(keys.alive(ticket.id()), AliveKey.waiting(ticket.leaseSeconds()), lease)
        .put(keys.ticket(ticket.id(), 0), Values.of(ticket));
  }

  /** Where {@code id} stands; empty when it was never heard of or is forgotten. */
  public Optional<Standing> find(String id) {
    Snapshot snapshot = Snapshot.read(etcd);
    return standings(snapshot).stream()
        .filter(standing -> standing.id().equals(id))
        .findFirst()
        .or(() -> note(id).map(note -> new Standing.Over(id, note)))
        .map(standing -> explained(standing));
  }

  /** Every lock and every ticket, locks first, then in queue order. */
  public List<Standing> all() {
    List<Standing> standings = standings(Snapshot.read(etcd));
    if (standings.stream().noneMatch(TicketDesk::unexplained)) {
      return standings;
    }
    Map<String, Note> said = new HashMap<>();
    for (KeyValue note : etcd.repeat(() -> etcd.range(keys.verdicts()))) {
      said.put(Keys.name(note.getKey()), Values.note(note.getValue()));
    }
    return standings.stream()
        .map(one -> explained(one, Optional.ofNullable(said.get(one.id()))))
        .toList();
  }

  private static List<Standing> standings(Snapshot snapshot) {
    Map<String, List<LockRecord>> byId = new TreeMap<>();
    snapshot.table().locks().values().stream()
        .sorted(Comparator.comparing(LockRecord::host))
        .forEach(lock -> byId.computeIfAbsent(lock.id(), id -> new ArrayList<>()).add(lock));
    List<Standing> standings = new ArrayList<>();
    byId.values()
        .forEach(
            locks ->
                standings.add(new Standing.Held(locks, snapshot.table().lapsed(locks.getFirst()))));
    for (Ticket ticket : snapshot.table().tickets()) {
      Queue.Place place = Queue.place(snapshot.table(), ticket);
      standings.add(new Standing.Waiting(ticket, place, place.explanation()));
    }
    return standings;
  }

  /** With what the grantor said, where the queue alone does not explain the wait. */
  private Standing explained(Standing standing) {
    return unexplained(standing) ? explained(standing, note(standing.id())) : standing;
  }

  private static Standing explained(Standing standing, Optional<Note> said) {
    return standing instanceof Standing.Waiting waiting && unexplained(waiting) && said.isPresent()
        ? new Standing.Waiting(waiting.ticket(), waiting.place(), said.get().reason())
        : standing;
  }

  private static boolean unexplained(Standing standing) {
    return standing instanceof Standing.Waiting waiting && waiting.reason().isEmpty();
  }

  private Optional<Note> note(String id) {
    return etcd.repeat(() -> etcd.get(keys.verdict(id)))
        .map(value -> Values.note(value.getValue()));
  }

  /**
   * The client is alive: its waiting ticket keeps its place, its lock goes on for another lease.
   *
   * @return where it stands afterwards; a lapsed lock stays lapsed
   */
  public Optional<Standing> renew(String id) {
    Optional<Standing> standing = find(id);
    if (standing.isEmpty() || standing.get() instanceof Standing.Over) {
      return standing;
    }
    Optional<KeyValue> alive = etcd.repeat(() -> etcd.get(keys.alive(id)));
    if (alive.isEmpty()) {
      return find(id);
    }
    switch (standing.get()) {
      case Standing.Waiting waiting -> {
        etcd.repeat(() -> etcd.keepAlive(alive.get().getLease()));
        moveDeadline(waiting.ticket());
      }
      case Standing.Held held -> renewLock(alive.get());
      case Standing.Over over -> {}
    }
    return find(id);
  }

  private void moveDeadline(Ticket ticket) {
    Ticket later = ticket.withDeadline(clock.instant().plusSeconds(ticket.waitSeconds()));
    etcd.repeat(
        () ->
            etcd.commit(
                new Transaction("renew ticket")
                    .ifCreatedAt(keys.ticket(ticket.id(), ticket.index()), ticket.createRevision())
                    .put(keys.ticket(ticket.id(), ticket.index()), Values.of(later))));
  }

  /** The first renewal may come before the grantor saw to the lock's own lease. */
  private void renewLock(KeyValue alive) {
    if (AliveKey.waits(alive)) {
      AliveKey.countLease(etcd, alive);
    } else {
      etcd.repeat(() -> etcd.keepAlive(alive.getLease()));
    }
  }

  /**
   * Leaves the queue or ends a session lock. Holds are not ended here.
   *
   * @param by principal who asks
   * @return what was there before; the caller refuses holds beforehand
   */
  public Optional<Standing> leave(String id, String by, String reason) {
    Optional<Standing> before = find(id);
    Optional<Standing> standing = before;
    for (int round = 0; round < ROUNDS_MAX; round++) {
      Optional<Transaction> leaving = standing.flatMap(found -> leaving(found, by, reason));
      if (leaving.isEmpty()) {
        return before;
      }
      try {
        TxnResponse answer = etcd.repeat(() -> etcd.commit(leaving.get()));
        if (answer.isSucceeded()) {
          return before;
        }
      } catch (EtcdRefusedException leaseGone) {
        notes.forget();
      }
      standing = find(id);
    }
    throw new IllegalStateException("the locks of " + id + " keep changing");
  }

  private Optional<Transaction> leaving(Standing standing, String by, String reason) {
    return switch (standing) {
      case Standing.Waiting(Ticket ticket, Queue.Place place, String why) ->
          Optional.of(
              over(new Transaction("leave queue"), standing, by, reason)
                  .ifCreatedAt(keys.ticket(ticket.id(), ticket.index()), ticket.createRevision())
                  .delete(keys.ticket(ticket.id(), ticket.index())));
      case Standing.Held held when held.locks().getFirst().kind() == Kind.SESSION ->
          Optional.of(release(held, by, reason));
      case Standing.Held held -> Optional.empty();
      case Standing.Over over -> Optional.empty();
    };
  }

  private Transaction release(Standing.Held held, String by, String reason) {
    Transaction transaction = over(new Transaction("release"), held, by, reason);
    long mark = marks.next();
    for (LockRecord lock : held.locks()) {
      Ended ended = new Ended(lock.host(), lock.id(), mark, by, reason);
      transaction
          .ifCreatedAt(keys.lock(lock.host()), lock.token())
          .delete(keys.lock(lock.host()))
          .put(keys.ended(lock.host()), Values.of(ended));
    }
    return transaction;
  }

  private Transaction over(Transaction transaction, Standing standing, String by, String reason) {
    Note note =
        new Note(
            Note.State.ENDED,
            "ended by " + by + ": " + reason,
            standing.holder(),
            standing.hosts(),
            Kind.SESSION);
    return transaction
        .delete(keys.alive(standing.id()))
        .putLeased(keys.verdict(standing.id()), Values.of(note), notes.id());
  }
}
