package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Ended;
import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.LockTable;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.TxnResponse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Holds in etcd. Each write compares what was read; a lost answer is settled by reading again. */
final class EtcdHolds implements Holds {
  /** Rounds of read and compare before a lock that keeps changing is reported as such. */
  private static final int ROUNDS_MAX = 20;

  private final EtcdConnection etcd;
  private final Keys keys;

  EtcdHolds(EtcdConnection etcd) {
    this.etcd = etcd;
    keys = etcd.keys();
  }

  /** A lock as it was read. */
  record Stored(LockRecord lock, long modified) {}

  @Override
  public List<String> end(End end) {
    return release(
        end,
        stored ->
            stored.lock().id().equals(end.grantId())
                && stored.lock().token() == end.token()
                && stored.lock().kind() == Kind.BATCH,
        stored ->
            stored.lock().id().equals(end.grantId()) && stored.lock().kind() == Kind.QUARANTINE);
  }

  /**
   * Ends the quarantine of one host, once people say it is well; observations before {@code mark}
   * say nothing.
   */
  boolean endQuarantine(String host, long mark, String by, String reason) {
    Optional<Stored> found = read(host).filter(stored -> stored.lock().kind() == Kind.QUARANTINE);
    if (found.isEmpty()) {
      return false;
    }
    LockRecord lock = found.get().lock();
    End end = new End(lock.id(), List.of(host), lock.token(), mark, by, reason);
    release(end, stored -> stored.lock().token() == lock.token(), stored -> false);
    return true;
  }

  private List<String> release(
      End end,
      java.util.function.Predicate<Stored> goes,
      java.util.function.Predicate<Stored> stays) {
    for (int round = 0; round < ROUNDS_MAX; round++) {
      List<Stored> found = end.hosts().stream().map(this::read).flatMap(Optional::stream).toList();
      List<Stored> ending = found.stream().filter(goes).toList();
      if (ending.isEmpty()) {
        return found.stream().filter(stays).map(stored -> stored.lock().host()).toList();
      }
      Transaction transaction = new Transaction("end hold");
      for (Stored stored : ending) {
        String host = stored.lock().host();
        transaction
            .ifModifiedAt(keys.lock(host), stored.modified())
            .delete(keys.lock(host))
            .put(
                keys.ended(host),
                Values.of(new Ended(host, end.grantId(), mark(host, end), end.by(), end.reason())));
      }
      settle(transaction);
    }
    throw new IllegalStateException("the locks of " + end.grantId() + " keep changing");
  }

  /**
   * A batch that did nothing to the host brings an old mark: what was seen before the end of the
   * lock before it says nothing all the same. While the host is locked nobody else writes this key.
   */
  private long mark(String host, End end) {
    return etcd.repeat(() -> etcd.get(keys.ended(host)))
        .map(before -> Values.ended(host, before.getValue()).mark())
        .filter(before -> before > end.mark())
        .orElse(end.mark());
  }

  @Override
  public boolean quarantine(String grantId, String host, String reason) {
    for (int round = 0; round < ROUNDS_MAX; round++) {
      Optional<Stored> found = read(host).filter(stored -> stored.lock().id().equals(grantId));
      if (found.isEmpty()) {
        return false;
      }
      if (found.get().lock().kind() == Kind.QUARANTINE) {
        return true;
      }
      settle(
          new Transaction("quarantine")
              .ifModifiedAt(keys.lock(host), found.get().modified())
              .put(keys.lock(host), Values.of(found.get().lock().quarantined(reason))));
    }
    throw new IllegalStateException("the lock on " + host + " keeps changing");
  }

  /** Sends once; whatever came of it, the caller reads again. */
  private void settle(Transaction transaction) {
    etcd.repeat(() -> etcd.commit(transaction));
  }

  @Override
  public List<LockRecord> find(String grantId) {
    List<LockRecord> found = new ArrayList<>();
    for (KeyValue lock : etcd.repeat(() -> etcd.range(keys.locks()))) {
      LockRecord record =
          Values.lock(Keys.name(lock.getKey()), lock.getValue(), lock.getCreateRevision());
      if (record.id().equals(grantId)) {
        found.add(record);
      }
    }
    found.sort(Comparator.comparing(LockRecord::host));
    return found;
  }

  @Override
  public Settled voidGrant(String grantId, String reason) {
    ByteSequence key = keys.grant(grantId);
    return etcd.repeat(
        () -> {
          TxnResponse answer =
              etcd.commit(
                  new Transaction("void")
                      .ifAbsent(key)
                      .put(key, Values.grant(false, List.of(), 0, 0, reason))
                      .otherwiseGet(key));
          if (answer.isSucceeded()) {
            return new Settled.Voided();
          }
          KeyValue grant = answer.getGetResponses().getFirst().getKvs().getFirst();
          return Values.committed(grant.getValue())
              ? new Settled.Committed(grant.getCreateRevision())
              : new Settled.Voided();
        });
  }

  @Override
  public LockTable table() {
    return Snapshot.read(etcd).table();
  }

  Optional<Stored> read(String host) {
    return etcd.repeat(() -> etcd.get(keys.lock(host)))
        .map(
            value ->
                new Stored(
                    Values.lock(host, value.getValue(), value.getCreateRevision()),
                    value.getModRevision()));
  }
}
