package dev.drydock.lock.explorer;

import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.Seniority;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.Compare;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Op;
import dev.drydock.lock.core.txn.Transaction;
import java.util.ArrayList;
import java.util.List;

/** Exchanges the revisions that values and transactions speak of for others. */
final class Renumbering {
  private final Spaces spaces;
  private final To to;

  Renumbering(Spaces spaces, To to) {
    this.spaces = spaces;
    this.to = to;
  }

  /** What a revision becomes. */
  interface To {
    long of(int space, long revision);
  }

  long revision(int space, long revision) {
    return to.of(space, revision);
  }

  Object value(Object value) {
    return switch (value) {
      case Ticket ticket when ticket.brought().isPresent() ->
          ticket.aged(ticket.brought().map(this::age));
      case EndedLock end when end.token() > 0 ->
          new EndedLock(
              end.host(),
              end.lockId(),
              to.of(spaces.created(new Key.Session(end.lockId())), end.token()),
              end.mark(),
              end.by(),
              end.reason());
      default -> value;
    };
  }

  Seniority age(Seniority age) {
    return new Seniority(to.of(Spaces.AGES, age.revision()), age.index());
  }

  Transaction transaction(Transaction transaction) {
    List<Compare> compares = new ArrayList<>();
    transaction.compares().forEach(compare -> compares.add(compare(compare)));
    List<Op> operations = new ArrayList<>();
    transaction.operations().forEach(op -> operations.add(op(op)));
    return new Transaction(transaction.name(), compares, operations, transaction.otherwise());
  }

  private Compare compare(Compare compare) {
    return switch (compare) {
      case Compare.Created(Key<?> key, long at) ->
          new Compare.Created(key, to.of(spaces.created(key), at));
      case Compare.Modified(Key<?> key, long at) ->
          new Compare.Modified(key, to.of(spaces.modified(key), at));
      case Compare.Present present -> present;
    };
  }

  private Op op(Op op) {
    return switch (op) {
      case Op.Put<?> put -> put(put);
      case Op.Nested(Transaction part) -> new Op.Nested(transaction(part));
      case Op.Delete delete -> delete;
      case Op.Get get -> get;
    };
  }

  @SuppressWarnings("unchecked") // The same type comes back.
  private <V> Op.Put<V> put(Op.Put<V> put) {
    return new Op.Put<>(put.key(), (V) value(put.value()), put.lease());
  }
}
