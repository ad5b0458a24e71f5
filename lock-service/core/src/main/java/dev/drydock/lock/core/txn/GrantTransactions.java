package dev.drydock.lock.core.txn;

import dev.drydock.lock.core.BackfillClock;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Proposal;
import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.GrantorDecision;
import dev.drydock.lock.core.Grants;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.TicketNote;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the decisions of one pass write. Each compares all it was decided by, except who leads and
 * by which rules was judged: a {@link Fence} adds that to one of them or to a group.
 */
public final class GrantTransactions {
  private final StoreSnapshot storeSnapshot;

  /** Transactions for decisions made on {@code storeSnapshot}. */
  public GrantTransactions(StoreSnapshot storeSnapshot) {
    this.storeSnapshot = storeSnapshot;
  }

  public Transaction noteLapse(LockRecord lock, long mark) {
    EndedLock endedLock =
        new EndedLock(lock.host(), lock.id(), lock.token(), mark, "grantor", "lapsed");
    return expired("note lapse", lock).put(new Key.Ended(lock.host()), endedLock).build();
  }

  /**
   * A lock that was noted as lapsed goes from some of its hosts; what was noted stays.
   *
   * @param removals all of one lock, of a hold all on one host
   * @param lease of the note that its client finds if it still asks
   */
  public Transaction removeLapsed(List<GrantorDecision.RemoveLapsed> removals, long lease) {
    LockRecord first = removals.getFirst().lock();
    Transaction.Building transaction = expired("remove lapsed", first);
    if (first.kind() == Kind.SESSION) {
      Set<String> hosts =
          removals.stream().map(one -> one.lock().host()).collect(Collectors.toSet());
      HoldTransactions.remaining(transaction, new Key.Session(first.id()), held(first), hosts);
    } else {
      transaction.delete(new Key.Lock(first.host()));
    }
    if (first.kind() == Kind.SESSION) {
      transaction
          .delete(new Key.Alive(first.id()))
          .delete(new Key.Term(first.id()))
          .putLeased(new Key.Verdict(first.id()), TicketTransactions.lapsed(first), lease);
    }
    return transaction.build();
  }

  /** What a session lock is still on. */
  private List<LockRecord> held(LockRecord session) {
    return session.hosts().stream()
        .map(storeSnapshot.table().locks()::get)
        .filter(
            lock -> lock != null && lock.kind() == Kind.SESSION && lock.id().equals(session.id()))
        .toList();
  }

  /** Of the two keys a session lock lives by, the one that was seen missing still is. */
  private Transaction.Building expired(String name, LockRecord lock) {
    Key<?> key =
        lock.kind() == Kind.SESSION ? new Key.Session(lock.id()) : new Key.Lock(lock.host());
    Transaction.Building transaction =
        Transaction.named(name).ifModifiedAt(key, storeSnapshot.modifiedAt(key));
    Key.Alive alive = new Key.Alive(lock.id());
    return storeSnapshot.alive().contains(alive.id())
        ? transaction
            .ifModifiedAt(alive, storeSnapshot.modifiedAt(alive))
            .ifAbsent(new Key.Term(lock.id()))
        : transaction.ifAbsent(alive);
  }

  public Transaction check(GrantorDecision.JudgeCheck judged) {
    Transaction.Building transaction = Transaction.named("check");
    for (LockRecord lock : judged.hold()) {
      Key.Lock key = new Key.Lock(lock.host());
      transaction.ifModifiedAt(key, storeSnapshot.modifiedAt(key)).put(key, lock);
    }
    return transaction.build();
  }

  /**
   * The ticket leaves without a lock.
   *
   * @param lease of the note that a client finds who still asks
   */
  public Transaction turnAway(Ticket ticket, String reason, long lease) {
    Transaction.Building transaction = dropped("turn away", ticket);
    if (ticket.mode() != Ticket.Mode.CANDIDATE) {
      transaction
          .delete(new Key.Alive(ticket.id()))
          .putLeased(
              new Key.Verdict(ticket.id()), note(ticket, TicketNote.State.REFUSED, reason), lease);
    }
    return transaction.build();
  }

  public Transaction waits(Ticket ticket, String reason) {
    return Transaction.named("explain")
        .ifPresent(new Key.Ticket(ticket.id(), ticket.index()))
        .put(new Key.Verdict(ticket.id()), note(ticket, TicketNote.State.WAITING, reason))
        .build();
  }

  /** The clock of a ticket that waits on. */
  public Transaction setClock(Ticket ticket, BackfillClock clock) {
    Key.Passed key = new Key.Passed(ticket.id());
    return Transaction.named("clock")
        .ifPresent(new Key.Ticket(ticket.id(), ticket.index()))
        .ifModifiedAt(key, storeSnapshot.modifiedAt(key))
        .put(key, clock)
        .build();
  }

  /** No put of a grant carries a lease: a grant is never undone by time. */
  public Transaction grant(Ticket ticket, Instant now) {
    Transaction.Building transaction = dropped("grant", ticket);
    Key.Alive alive = new Key.Alive(ticket.id());
    transaction.ifPresent(alive);
    if (ticket.mode() == Ticket.Mode.FLEETLOCK) {
      transaction.delete(alive); // A hold lives by no key.
    }
    transaction.delete(new Key.Verdict(ticket.id()));
    return locked(transaction, Grants.foreign(ticket, now));
  }

  public Transaction grant(Candidate candidate, Optional<Ticket> ticket, Proposal proposal) {
    Key.Grant grant = new Key.Grant(proposal.grantId());
    Transaction.Building transaction =
        ticket
            .map(place -> dropped("grant", place))
            .orElseGet(() -> Transaction.named("grant"))
            .ifAbsent(grant)
            .put(new Key.Beat(), proposal.beat())
            .put(
                grant,
                new GrantMark(
                    true,
                    candidate.hosts(),
                    proposal.epoch(),
                    proposal.beat(),
                    candidate.reason()));
    return locked(transaction, Grants.batch(candidate, proposal));
  }

  /**
   * No compare says that the hosts of a session lock are free, only that it was not granted before.
   * Nobody but the grantor locks hosts, it sends one transaction after the other, and what it or
   * another one sent earlier fails by the {@link Fence}: whatever is locked, was so when this was
   * decided.
   */
  private static Transaction locked(Transaction.Building transaction, List<LockRecord> records) {
    LockRecord first = records.getFirst();
    if (first.kind() == Kind.SESSION) {
      Key.Session key = new Key.Session(first.id());
      return transaction.ifAbsent(key).put(key, new SessionLock.Held(records)).build();
    }
    for (LockRecord record : records) {
      Key.Lock key = new Key.Lock(record.host());
      transaction.ifAbsent(key).put(key, record);
    }
    return transaction.build();
  }

  /**
   * Places in the queue for those who waited in vain, each failing alone.
   *
   * @return one for each; where several get into one transaction, their index orders them
   */
  public List<Transaction> enqueue(List<Candidate> candidates, Instant pollDeadline) {
    List<Transaction> places = new ArrayList<>();
    for (int i = 0; i < candidates.size(); i++) {
      Ticket place = Grants.placeOf(candidates.get(i), i, pollDeadline);
      Key.Ticket key = new Key.Ticket(place.id(), i);
      places.add(Transaction.named("enqueue").ifAbsent(key).put(key, place).build());
    }
    return places;
  }

  public Transaction refresh(Ticket ticket, Instant pollDeadline) {
    return same("refresh", ticket)
        .put(new Key.Ticket(ticket.id(), ticket.index()), ticket.withDeadline(pollDeadline))
        .build();
  }

  private Transaction.Building dropped(String name, Ticket ticket) {
    Transaction.Building transaction =
        same(name, ticket).delete(new Key.Ticket(ticket.id(), ticket.index()));
    return storeSnapshot.table().passed().containsKey(ticket.id())
        ? transaction.delete(new Key.Passed(ticket.id()))
        : transaction;
  }

  /** The very ticket that was judged: not renewed, withdrawn or replaced since. */
  private Transaction.Building same(String name, Ticket ticket) {
    Key.Ticket key = new Key.Ticket(ticket.id(), ticket.index());
    return Transaction.named(name)
        .ifCreatedAt(key, ticket.createRevision())
        .ifModifiedAt(key, storeSnapshot.modifiedAt(key));
  }

  private static TicketNote note(Ticket ticket, TicketNote.State state, String reason) {
    return new TicketNote(state, reason, ticket.holder(), ticket.hosts(), Kind.SESSION);
  }
}
