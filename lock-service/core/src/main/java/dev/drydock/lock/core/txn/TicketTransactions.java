package dev.drydock.lock.core.txn;

import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.TicketNote;
import java.time.Instant;
import java.util.List;

/** What clients of the queue write. Each may be repeated after an unknown outcome. */
public final class TicketTransactions {
  private TicketTransactions() {}

  /**
   * A ticket enters the queue with its alive key; once, however often it is sent. Never while the
   * record of a lock of its id stands, be it that of its end: nobody could grant it then.
   *
   * @param lease how long the client counts as alive unseen while it waits; of {@link
   *     Ticket#leaseSeconds} for a ticket {@link Ticket#onItsOwnLease}
   */
  public static Transaction take(Ticket ticket, long lease) {
    Key.Ticket key = new Key.Ticket(ticket.id(), 0);
    Key.Alive alive = new Key.Alive(ticket.id());
    return Transaction.named("take ticket")
        .ifAbsent(key)
        .ifAbsent(alive)
        .ifAbsent(new Key.Verdict(ticket.id()))
        .ifAbsent(new Key.Session(ticket.id()))
        .putLeased(alive, new LivenessRecord(!ticket.onItsOwnLease(), ticket.leaseSeconds()), lease)
        .put(key, ticket)
        .build();
  }

  /**
   * What there was when a ticket of a client that only polls was found missing; modification
   * revisions, 0 for what did not exist.
   *
   * @param ended what the last lock on its host left behind
   * @param lock on its host
   * @param verdict what was told of an earlier ticket of the same id
   */
  public record Basis(long ended, long lock, long verdict) {}

  /**
   * A ticket of a client that only polls enters the queue; a copy of this that comes late enters a
   * second time only if nothing happened to its host and to its id meanwhile.
   *
   * @param lease how long the client counts as alive without another poll
   */
  public static Transaction takePolled(Ticket ticket, Basis basis, long lease) {
    Key.Ticket key = new Key.Ticket(ticket.id(), 0);
    Key.Verdict verdict = new Key.Verdict(ticket.id());
    String host = ticket.hosts().getFirst();
    return Transaction.named("take ticket")
        .ifAbsent(key)
        .ifModifiedAt(verdict, basis.verdict())
        .ifModifiedAt(new Key.Ended(host), basis.ended())
        .ifModifiedAt(new Key.Lock(host), basis.lock())
        .delete(verdict)
        .putLeased(new Key.Alive(ticket.id()), new LivenessRecord(true, 0), lease)
        .put(key, ticket)
        .build();
  }

  /**
   * The client of a ticket polls, or its poll is over. Loses against a grant.
   *
   * @param polled the same ticket, asking while a grant reaches its client, and not before the
   *     client is answered that it has to wait
   */
  public static Transaction poll(StoredValue<Ticket> ticket, Ticket polled) {
    return Transaction.named("poll")
        .ifModifiedAt(ticket.key(), ticket.modified())
        .put(ticket.key(), polled)
        .build();
  }

  /** The ticket shows a later deadline; the lease of its alive key is what keeps its place. */
  public static Transaction renew(Ticket ticket, Instant pollDeadline) {
    Key.Ticket key = new Key.Ticket(ticket.id(), ticket.index());
    return Transaction.named("renew ticket")
        .ifCreatedAt(key, ticket.createRevision())
        .put(key, ticket.withDeadline(pollDeadline))
        .build();
  }

  /**
   * Counts the lock's own lease and its term from now, if nobody did since the alive key was read.
   * The lease of the waiting ticket would keep the lock of a client that died in the queue.
   *
   * <p>The note of its end is written beforehand: when the lease ends the alive key is gone, and a
   * late copy of {@link #take} must not enter again, whose own lease may live on.
   *
   * @param lease a new one of {@link LivenessRecord#leaseSeconds}
   * @param term a new one of {@link LockRecord#maxSeconds} that nobody renews; 0 for a lock without
   *     an end
   */
  public static Transaction countLease(StoreSnapshot.Uncounted uncounted, long lease, long term) {
    StoredValue<LivenessRecord> alive = uncounted.alive();
    LockRecord lock = uncounted.lock();
    Transaction.Building transaction =
        Transaction.named("count lease")
            .ifModifiedAt(alive.key(), alive.modified())
            .putLeased(alive.key(), alive.value().counted(), lease)
            .put(new Key.Verdict(lock.id()), lapsed(lock));
    if (lock.maxSeconds() > 0) {
      transaction.putLeased(new Key.Term(lock.id()), lock.maxSeconds(), term);
    }
    return transaction.build();
  }

  /** What is told of a lock that its client lost. */
  static TicketNote lapsed(LockRecord lock) {
    return new TicketNote(
        TicketNote.State.ENDED,
        "it was not renewed in time, or lasted as long as it may",
        lock.holder(),
        lock.hosts(),
        Kind.SESSION);
  }

  /**
   * A waiting ticket leaves the queue.
   *
   * @param lease of the note that a client finds who still asks
   */
  public static Transaction leave(Ticket ticket, String by, String reason, long lease) {
    Key.Ticket key = new Key.Ticket(ticket.id(), ticket.index());
    return over("leave queue", ticket.id(), ticket.holder(), ticket.hosts(), by, reason, lease)
        .ifCreatedAt(key, ticket.createRevision())
        .delete(key)
        .delete(new Key.Passed(ticket.id()))
        .build();
  }

  /**
   * The modification revision of a client's hold that is still one: nothing but a quarantine, which
   * people end, ever rewrites its record.
   */
  static long unchanged(LockRecord hold) {
    return hold.token();
  }

  /**
   * A session lock ends on all hosts it is still on: the record that says where it was says from
   * then on what its end left behind.
   *
   * @param mark observations before it say nothing about the hosts any more
   */
  public static Transaction release(
      SessionRelease sessionRelease, long mark, String by, String reason, long lease) {
    LockRecord first = sessionRelease.lock().value().held().getFirst();
    Transaction.Building transaction =
        ended(first, sessionRelease.hosts(), by, reason, lease)
            .ifModifiedAt(sessionRelease.lock().key(), sessionRelease.lock().modified())
            .put(
                sessionRelease.lock().key(),
                new SessionLock.Over(left(sessionRelease, mark, by, reason)));
    sessionRelease.outdated().forEach(transaction::delete);
    return transaction.build();
  }

  /** What the end of a session lock leaves behind, one for each host. */
  private static List<EndedLock> left(
      SessionRelease sessionRelease, long mark, String by, String reason) {
    return sessionRelease.hosts().stream()
        .map(host -> new EndedLock(host, sessionRelease.id(), mark, by, reason))
        .toList();
  }

  /**
   * A client's hold ends on all hosts it is still on.
   *
   * @param locks its records; none newer is touched
   */
  public static Transaction release(
      List<LockRecord> locks, long mark, String by, String reason, long lease) {
    List<String> hosts = locks.stream().map(LockRecord::host).toList();
    Transaction.Building transaction = ended(locks.getFirst(), hosts, by, reason, lease);
    for (LockRecord lock : locks) {
      transaction
          .ifModifiedAt(new Key.Lock(lock.host()), unchanged(lock))
          .delete(new Key.Lock(lock.host()))
          .put(new Key.Ended(lock.host()), new EndedLock(lock.host(), lock.id(), mark, by, reason));
    }
    return transaction.build();
  }

  private static Transaction.Building ended(
      LockRecord lock, List<String> hosts, String by, String reason, long lease) {
    return over("release", lock.id(), lock.holder(), hosts, by, reason, lease)
        .delete(new Key.Term(lock.id()));
  }

  /**
   * What is left of a quarantine that people ended goes, and how it ended is told for a while: a
   * session lock that was broken has said beforehand that it lapsed.
   *
   * @param lock one of its records, gone by now
   * @param lease of the note
   */
  public static Transaction tellEnd(LockRecord lock, String by, String reason, long lease) {
    TicketNote ticketNote =
        new TicketNote(
            TicketNote.State.ENDED,
            "ended by " + by + ": " + reason,
            lock.holder(),
            lock.hosts(),
            lock.kind());
    return Transaction.named("tell end")
        .delete(new Key.Alive(lock.id()))
        .delete(new Key.Term(lock.id()))
        .putLeased(new Key.Verdict(lock.id()), ticketNote, lease)
        .build();
  }

  private static Transaction.Building over(
      String name,
      String id,
      String holder,
      List<String> hosts,
      String by,
      String reason,
      long lease) {
    TicketNote ticketNote =
        new TicketNote(
            TicketNote.State.ENDED, "ended by " + by + ": " + reason, holder, hosts, Kind.SESSION);
    return Transaction.named(name)
        .delete(new Key.Alive(id))
        .putLeased(new Key.Verdict(id), ticketNote, lease);
  }
}
