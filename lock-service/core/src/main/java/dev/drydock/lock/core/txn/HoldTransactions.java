package dev.drydock.lock.core.txn;

import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.LockRecord;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What owners of holds write. Each compares what was read; repeating starts with reading again. */
public final class HoldTransactions {
  private HoldTransactions() {}

  /**
   * Ends a hold on some of its hosts.
   *
   * @param ending the records that go
   * @param before what the lock before left behind, by host: a batch that did nothing brings an old
   *     mark, and what was seen before the end of the lock before it says nothing all the same
   */
  public static Transaction end(
      List<StoredValue<LockRecord>> ending, Map<String, EndedLock> before, Holds.End end) {
    Transaction.Building transaction = Transaction.named("end hold");
    for (StoredValue<LockRecord> storedValue : ending) {
      String host = storedValue.value().host();
      EndedLock left = before.get(host);
      long mark = left == null ? end.mark() : Math.max(end.mark(), left.mark());
      transaction
          .ifModifiedAt(storedValue.key(), storedValue.modified())
          .delete(storedValue.key())
          .put(
              new Key.Ended(host),
              new EndedLock(host, end.grantId(), mark, end.by(), end.reason()));
    }
    return transaction.build();
  }

  /** The hold of one host becomes a quarantine, which only people end. */
  public static Transaction quarantine(StoredValue<LockRecord> hold, String reason) {
    return Transaction.named("quarantine")
        .ifModifiedAt(hold.key(), hold.modified())
        .put(hold.key(), hold.value().quarantined(reason))
        .build();
  }

  /** A hold on a host that nobody has, as the grantor knows. */
  public static Transaction impound(LockRecord hold) {
    Key.Lock key = new Key.Lock(hold.host());
    return Transaction.named("impound").ifAbsent(key).put(key, hold).build();
  }

  /** A host of a session lock becomes a quarantine; its client keeps the others. */
  public static Transaction quarantine(
      StoredValue<SessionLock> session, String host, String reason) {
    List<LockRecord> held = session.value().held();
    Transaction.Building transaction =
        Transaction.named("quarantine").ifModifiedAt(session.key(), session.modified());
    held.stream()
        .filter(lock -> lock.host().equals(host))
        .forEach(lock -> transaction.put(new Key.Lock(host), lock.quarantined(reason)));
    return remaining(transaction, session.key(), held, Set.of(host)).build();
  }

  /** The record of a session lock that is gone from some of its hosts. */
  static Transaction.Building remaining(
      Transaction.Building transaction,
      Key<SessionLock> key,
      List<LockRecord> held,
      Set<String> gone) {
    List<LockRecord> stay = held.stream().filter(lock -> !gone.contains(lock.host())).toList();
    return stay.isEmpty()
        ? transaction.delete(key)
        : transaction.put(key, new SessionLock.Held(stay));
  }

  /**
   * A proposed grant is void for good, unless it was settled before: then this reads how (protocol
   * P5).
   */
  public static Transaction voidGrant(String grantId, String reason) {
    Key.Grant key = new Key.Grant(grantId);
    return Transaction.named("void")
        .ifAbsent(key)
        .put(key, new GrantMark(false, List.of(), 0, 0, reason))
        .otherwiseGet(key)
        .build();
  }
}
