package dev.drydock.lock.core.txn;

import dev.drydock.lock.core.Ended;
import dev.drydock.lock.core.Ticket;
import java.util.List;

/**
 * What a program writes that has one alive key for all its tickets. No put but that of the key
 * carries a lease.
 */
public final class SessionTransactions {
  private SessionTransactions() {}

  /** The session begins; its revision is the first fence. */
  public static Transaction open(String session, int leaseSeconds, long lease) {
    Key.Alive key = new Key.Alive(session);
    return Transaction.named("open session")
        .ifAbsent(key)
        .putLeased(key, new Alive(false, leaseSeconds), lease)
        .otherwiseGet(key)
        .build();
  }

  /**
   * Fails every group of tickets sent before; the revision of this put is the new fence. It only
   * ever replaces the fence it knows: a copy that comes late does nothing.
   *
   * @param fence modification revision of the session's alive key so far
   */
  public static Transaction fence(String session, long fence, int leaseSeconds, long lease) {
    Key.Alive key = new Key.Alive(session);
    return Transaction.named("fence session")
        .ifModifiedAt(key, fence)
        .putLeased(key, new Alive(false, leaseSeconds), lease)
        .otherwiseGet(key)
        .build();
  }

  /**
   * Tickets enter the queue, all or none, in this order. An outcome that is unknown is settled by
   * {@link #fence} and by reading what is there.
   *
   * @param fence modification revision of the session's alive key
   */
  public static Transaction enter(List<Ticket> tickets, String session, long fence) {
    Transaction.Building transaction =
        Transaction.named("take ticket").ifModifiedAt(new Key.Alive(session), fence);
    for (int i = 0; i < tickets.size(); i++) {
      transaction.put(new Key.Ticket(tickets.get(i).id(), i), tickets.get(i));
    }
    return transaction.put(new Key.Entered(), tickets.getLast().id()).build();
  }

  /** A waiting ticket leaves the queue. May be repeated. */
  public static Transaction withdraw(Ticket ticket) {
    Key.Ticket key = new Key.Ticket(ticket.id(), ticket.index());
    return Transaction.named("leave queue")
        .ifCreatedAt(key, ticket.createRevision())
        .delete(key)
        .delete(new Key.Verdict(ticket.id()))
        .delete(new Key.Passed(ticket.id()))
        .build();
  }

  /**
   * A session lock ends on the hosts it is still on. May be repeated.
   *
   * @param mark observations before it say nothing about the hosts any more
   */
  public static Transaction release(Release release, long mark, String by, String reason) {
    return released(Transaction.named("release"), release, mark, by, reason).build();
  }

  /** The record that says where the lock was says from now on what its end left behind. */
  static Transaction.Building released(
      Transaction.Building transaction, Release release, long mark, String by, String reason) {
    transaction
        .ifModifiedAt(release.lock().key(), release.lock().modified())
        .put(release.lock().key(), new SessionLock.Over(ended(release, mark, by, reason)));
    release.outdated().forEach(transaction::delete);
    return transaction;
  }

  /** What it leaves behind, one for each host. */
  static List<Ended> ended(Release release, long mark, String by, String reason) {
    return release.hosts().stream()
        .map(host -> new Ended(host, release.id(), mark, by, reason))
        .toList();
  }
}
