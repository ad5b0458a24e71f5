package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Proposal;
import dev.drydock.lock.core.Decision;
import dev.drydock.lock.core.Ended;
import dev.drydock.lock.core.Grants;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.Ticket;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The transactions of one pass. Each compares the leadership this grantor was elected with and the
 * generation it judged under: a paused predecessor and a verdict by old rules change nothing
 * (protocol P2).
 */
final class GrantTransactions {
  private final Keys keys;
  private final Snapshot snapshot;
  private final Optional<Long> fence;

  /**
   * Transactions for decisions made on {@code snapshot}; only a test's control leaves the fence
   * out.
   */
  GrantTransactions(Keys keys, Snapshot snapshot, Optional<Long> fence) {
    this.keys = keys;
    this.snapshot = snapshot;
    this.fence = fence;
  }

  /** Nothing but the fence: is this grantor's word still worth anything? */
  Transaction fenced(String name) {
    Transaction transaction = new Transaction(name);
    fence.ifPresent(revision -> transaction.ifCreatedAt(keys.leader(), revision));
    return transaction.ifModifiedAt(keys.generation(), snapshot.generation());
  }

  Transaction noteLapse(LockRecord lock, long mark) {
    return lapsed("note lapse", lock).put(keys.ended(lock.host()), ended(lock, mark, "lapsed"));
  }

  Transaction removeLapsed(LockRecord lock, long mark, String reason) {
    Transaction transaction = lapsed("remove lapsed", lock).delete(keys.lock(lock.host()));
    Ended noted = snapshot.table().ended().get(lock.host());
    if (noted == null || !noted.lockId().equals(lock.id())) {
      transaction.put(keys.ended(lock.host()), ended(lock, mark, reason));
    }
    return transaction;
  }

  private Transaction lapsed(String name, LockRecord lock) {
    return fenced(name)
        .ifCreatedAt(keys.lock(lock.host()), lock.token())
        .ifAbsent(keys.alive(lock.id()));
  }

  private static io.etcd.jetcd.ByteSequence ended(LockRecord lock, long mark, String reason) {
    return Values.of(new Ended(lock.host(), lock.id(), mark, "grantor", reason));
  }

  Transaction check(Decision.JudgeCheck judged) {
    Transaction transaction = fenced("check");
    for (LockRecord lock : judged.hold()) {
      transaction
          .ifModifiedAt(keys.lock(lock.host()), snapshot.modified(keys.lock(lock.host())))
          .put(keys.lock(lock.host()), Values.of(lock));
    }
    return transaction;
  }

  Transaction turnAway(Ticket ticket, String reason, long lease) {
    Transaction transaction = dropped("turn away", ticket);
    if (ticket.mode() != Ticket.Mode.CANDIDATE) {
      transaction
          .delete(keys.alive(ticket.id()))
          .putLeased(keys.verdict(ticket.id()), note(ticket, Note.State.REFUSED, reason), lease);
    }
    return transaction;
  }

  Transaction waits(Ticket ticket, String reason) {
    return fenced("explain")
        .ifPresent(keys.ticket(ticket.id(), ticket.index()))
        .put(keys.verdict(ticket.id()), note(ticket, Note.State.WAITING, reason));
  }

  /** No put of a grant carries a lease: a grant is never undone by time. */
  Transaction grant(Ticket ticket) {
    Transaction transaction =
        dropped("grant", ticket)
            .ifPresent(keys.alive(ticket.id()))
            .delete(keys.verdict(ticket.id()));
    return locked(transaction, Grants.session(ticket));
  }

  Transaction grant(Candidate candidate, Optional<Ticket> ticket, Proposal proposal) {
    Transaction transaction = ticket.map(t -> dropped("grant", t)).orElseGet(() -> fenced("grant"));
    transaction
        .ifAbsent(keys.grant(proposal.grantId()))
        .put(keys.beat(), Keys.bytes(Long.toString(proposal.beat())))
        .put(
            keys.grant(proposal.grantId()),
            Values.grant(
                true, candidate.hosts(), proposal.epoch(), proposal.beat(), candidate.reason()));
    return locked(transaction, Grants.batch(candidate, proposal));
  }

  private Transaction locked(Transaction transaction, List<LockRecord> records) {
    for (LockRecord record : records) {
      transaction
          .ifAbsent(keys.lock(record.host()))
          .put(keys.lock(record.host()), Values.of(record));
    }
    return transaction;
  }

  Transaction enqueue(List<Candidate> candidates, Instant pollDeadline) {
    Transaction transaction = fenced("enqueue");
    for (int i = 0; i < candidates.size(); i++) {
      Ticket place = Grants.placeOf(candidates.get(i), i, pollDeadline);
      transaction
          .ifAbsent(keys.ticket(place.id(), i))
          .put(keys.ticket(place.id(), i), Values.of(place));
    }
    return transaction;
  }

  Transaction refresh(Ticket ticket, Instant pollDeadline) {
    return same("refresh", ticket)
        .put(
            keys.ticket(ticket.id(), ticket.index()), Values.of(ticket.withDeadline(pollDeadline)));
  }

  private Transaction dropped(String name, Ticket ticket) {
    return same(name, ticket).delete(keys.ticket(ticket.id(), ticket.index()));
  }

  /** The very ticket that was judged: not renewed, withdrawn or replaced since. */
  private Transaction same(String name, Ticket ticket) {
    var key = keys.ticket(ticket.id(), ticket.index());
    return fenced(name)
        .ifCreatedAt(key, ticket.createRevision())
        .ifModifiedAt(key, snapshot.modified(key));
  }

  private static io.etcd.jetcd.ByteSequence note(Ticket ticket, Note.State state, String reason) {
    return Values.of(new Note(state, reason, ticket.holder(), ticket.hosts(), Kind.SESSION));
  }
}
