package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Ended;
import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.txn.GrantMark;
import dev.drydock.lock.core.txn.HoldTransactions;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.SessionLock;
import dev.drydock.lock.core.txn.Stored;
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
  private final Mirror mirror;

  EtcdHolds(EtcdConnection etcd, Mirror mirror) {
    this.etcd = etcd;
    this.mirror = mirror;
  }

  @Override
  public List<String> end(End end) {
    return release(
        end,
        stored ->
            stored.value().id().equals(end.grantId())
                && stored.value().token() == end.token()
                && stored.value().kind() == Kind.BATCH,
        stored ->
            stored.value().id().equals(end.grantId()) && stored.value().kind() == Kind.QUARANTINE);
  }

  /**
   * Ends this quarantine of a host and no later one, once people say the host is well; observations
   * before {@code mark} say nothing.
   */
  boolean endQuarantine(LockRecord shown, long mark, String by, String reason) {
    Predicate<Stored<LockRecord>> same =
        stored ->
            stored.value().kind() == Kind.QUARANTINE
                && stored.value().id().equals(shown.id())
                && stored.value().token() == shown.token();
    if (read(shown.host()).filter(same).isEmpty()) {
      return false;
    }
    End end = new End(shown.id(), List.of(shown.host()), shown.token(), mark, by, reason);
    release(end, same, stored -> false);
    return true;
  }

  private List<String> release(
      End end, Predicate<Stored<LockRecord>> goes, Predicate<Stored<LockRecord>> stays) {
    for (int round = 0; round < ROUNDS_MAX; round++) {
      List<Stored<LockRecord>> found =
          end.hosts().stream().map(this::read).flatMap(Optional::stream).toList();
      List<Stored<LockRecord>> ending = found.stream().filter(goes).toList();
      List<String> staying =
          found.stream().filter(stays).map(stored -> stored.value().host()).toList();
      if (ending.isEmpty()) {
        return staying;
      }
      Map<String, Ended> before = new HashMap<>();
      for (Stored<LockRecord> stored : ending) {
        String host = stored.value().host();
        // While the host is locked nobody else says more of it.
        mirror
            .askNow(replica -> replica.endedOn(host))
            .filter(ended -> ended.mark() != StandIns.NEVER)
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
      Optional<Stored<LockRecord>> found =
          read(host).filter(stored -> stored.value().id().equals(grantId));
      Optional<Stored<SessionLock>> session =
          found.isPresent() ? Optional.empty() : session(grantId, host);
      if (found.isEmpty() && session.isEmpty()) {
        return false;
      }
      if (found.filter(stored -> stored.value().kind() == Kind.QUARANTINE).isPresent()) {
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
  private Optional<Stored<SessionLock>> session(String id, String host) {
    return etcd.repeat(() -> etcd.read(new Key.Session(id)))
        .filter(
            stored -> stored.value().held().stream().anyMatch(lock -> lock.host().equals(host)));
  }

  /** Whether it is known to be committed; if not, whatever came of it, the caller reads again. */
  private boolean settle(Transaction transaction) {
    return etcd.repeat(() -> etcd.commit(transaction)).isSucceeded();
  }

  @Override
  public List<LockRecord> find(String grantId) {
    return mirror.askNow(replica -> replica.locksOf(grantId));
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
          Stored<GrantMark> mark = Values.stored(new Key.Grant(grantId), found);
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
    return mirror.askNow(TableCopy::of).table();
  }

  private Optional<Stored<LockRecord>> read(String host) {
    return etcd.repeat(() -> etcd.read(new Key.Lock(host)));
  }
}
