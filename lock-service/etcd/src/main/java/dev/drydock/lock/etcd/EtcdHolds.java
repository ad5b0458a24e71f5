package dev.drydock.lock.etcd;

import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.txn.GrantMark;
import dev.drydock.lock.core.txn.HoldTransactions;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.SessionLock;
import dev.drydock.lock.core.txn.StoredValue;
import dev.drydock.lock.core.txn.TableCopy;
import dev.drydock.lock.core.txn.Transaction;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.TxnResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Holds in etcd. Each write compares what was read; a lost answer is settled by reading again. */
final class EtcdHolds implements Holds {
  private static final Logger log = LoggerFactory.getLogger(EtcdHolds.class);

  /** Rounds of read and compare before a lock that keeps changing is reported as such. */
  private static final int ROUNDS_MAX = 20;

  private final EtcdConnection etcd;
  private final EtcdMirror etcdMirror;

  EtcdHolds(EtcdConnection etcd, EtcdMirror etcdMirror) {
    this.etcd = etcd;
    this.etcdMirror = etcdMirror;
  }

  @Override
  public List<String> end(End end) {
    return release(
        end,
        storedValue ->
            storedValue.value().id().equals(end.grantId())
                && storedValue.value().token() == end.token()
                && storedValue.value().kind() == Kind.BATCH,
        storedValue ->
            storedValue.value().id().equals(end.grantId())
                && storedValue.value().kind() == Kind.QUARANTINE);
  }

  /**
   * Ends this quarantine of a host and no later one, once people say the host is well; observations
   * before {@code mark} say nothing.
   */
  boolean endQuarantine(LockRecord shown, long mark, String by, String reason) {
    Predicate<StoredValue<LockRecord>> same =
        storedValue ->
            storedValue.value().kind() == Kind.QUARANTINE
                && storedValue.value().id().equals(shown.id())
                && storedValue.value().token() == shown.token();
    if (read(shown.host()).filter(same).isEmpty()) {
      return false;
    }
    End end = new End(shown.id(), List.of(shown.host()), shown.token(), mark, by, reason);
    release(end, same, storedValue -> false);
    return true;
  }

  private List<String> release(
      End end, Predicate<StoredValue<LockRecord>> goes, Predicate<StoredValue<LockRecord>> stays) {
    for (int round = 0; round < ROUNDS_MAX; round++) {
      List<StoredValue<LockRecord>> found =
          end.hosts().stream().map(this::read).flatMap(Optional::stream).toList();
      List<StoredValue<LockRecord>> ending = found.stream().filter(goes).toList();
      List<String> staying =
          found.stream().filter(stays).map(storedValue -> storedValue.value().host()).toList();
      if (ending.isEmpty()) {
        return staying;
      }
      Map<String, EndedLock> before = new HashMap<>();
      for (StoredValue<LockRecord> storedValue : ending) {
        String host = storedValue.value().host();
        // While the host is locked nobody else says more of it.
        etcdMirror
            .askNow(replica -> replica.endedOn(host))
            .filter(ended -> ended.mark() != FailSafeValues.NEVER)
            .ifPresent(ended -> before.put(host, ended));
      }
      if (settle(HoldTransactions.end(ending, before, end))) {
        return staying;
      }
    }
    throw new IllegalStateException("the locks of " + end.grantId() + " keep changing");
  }

  @Override
  public boolean quarantine(String grantId, String host, String reason) {
    for (int round = 0; round < ROUNDS_MAX; round++) {
      Optional<StoredValue<LockRecord>> found =
          read(host).filter(storedValue -> storedValue.value().id().equals(grantId));
      Optional<StoredValue<SessionLock>> session =
          found.isPresent() ? Optional.empty() : session(grantId, host);
      if (found.isEmpty() && session.isEmpty()) {
        return false;
      }
      if (found.filter(storedValue -> storedValue.value().kind() == Kind.QUARANTINE).isPresent()) {
        return true;
      }
      settle(
          found
              .map(hold -> HoldTransactions.quarantine(hold, reason))
              .orElseGet(() -> HoldTransactions.quarantine(session.orElseThrow(), host, reason)));
    }
    throw new IllegalStateException("the lock on " + host + " keeps changing");
  }

  /** The session lock of that id, if it is on the host. */
  private Optional<StoredValue<SessionLock>> session(String id, String host) {
    return etcd.repeat(() -> etcd.read(new Key.Session(id)))
        .filter(
            storedValue ->
                storedValue.value().held().stream().anyMatch(lock -> lock.host().equals(host)));
  }

  /** Whether it is known to be committed; if not, whatever came of it, the caller reads again. */
  private boolean settle(Transaction transaction) {
    return etcd.repeat(() -> etcd.commit(transaction)).isSucceeded();
  }

  @Override
  public List<LockRecord> find(String grantId) {
    return etcdMirror.askNow(replica -> replica.locksOf(grantId));
  }

  @Override
  public Settled voidGrant(Proposed proposed, String reason) {
    String grantId = proposed.grantId();
    return etcd.repeat(
        () -> {
          TxnResponse answer = etcd.commit(HoldTransactions.voidGrant(grantId, reason));
          if (answer.isSucceeded()) {
            return new Settled.Voided();
          }
          KeyValue found = answer.getGetResponses().getFirst().getKvs().getFirst();
          StoredValue<GrantMark> mark = ValueCodec.stored(new Key.Grant(grantId), found);
          boolean same =
              mark.value().beat() == proposed.beat()
                  && Set.copyOf(mark.value().hosts()).equals(Set.copyOf(proposed.hosts()));
          if (mark.value().committed() && !same) {
            log.error(
                "grant {} of {} is void: etcd has another under its id, of {}; PostgreSQL has lost rows",
                grantId,
                proposed.hosts(),
                mark.value().hosts());
          }
          return mark.value().committed() && same
              ? new Settled.Committed(mark.created())
              : new Settled.Voided();
        });
  }

  @Override
  public LockTable table() {
    return etcdMirror.askNow(TableCopy::of).table();
  }

  private Optional<StoredValue<LockRecord>> read(String host) {
    return etcd.repeat(() -> etcd.read(new Key.Lock(host)));
  }
}
