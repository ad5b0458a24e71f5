package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.SessionTransactions;
import dev.drydock.proto.clock.BootClock;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.TxnResponse;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.time.Duration;

/**
 * The one alive key of a program, under one lease that is renewed while the program lives. Once
 * lost it stays lost. Safe for use by many threads.
 */
final class ClientSession implements AutoCloseable {
  /** Nobody else draws the same; every key and record of its locks says it, so it is short. */
  private static final int ID_BITS = 96;

  private static final SecureRandom RANDOM = new SecureRandom();

  private final EtcdConnection etcd;
  private final String id;
  private final KeptLease lease;
  private final int leaseSeconds;
  private final long created;
  private volatile long fence;

  private ClientSession(
      EtcdConnection etcd, String id, KeptLease lease, int leaseSeconds, long created) {
    this.etcd = etcd;
    this.id = id;
    this.lease = lease;
    this.leaseSeconds = leaseSeconds;
    this.created = created;
    fence = created;
  }

  /** Begins one; {@code timeToLive} is how long a dead program's locks exclude others. */
  static ClientSession open(EtcdConnection etcd, BootClock clock, Duration timeToLive) {
    String id = "s-" + new BigInteger(ID_BITS, RANDOM).toString(36);
    int seconds = EtcdConnection.leaseSeconds(timeToLive);
    Duration asked = clock.sinceBoot();
    long lease = etcd.repeat(() -> etcd.grantLease(timeToLive));
    KeptLease kept = new KeptLease(etcd, clock, "session " + id, lease, timeToLive, asked);
    try {
      long created = etcd.repeat(() -> created(etcd, id, seconds, lease));
      return new ClientSession(etcd, id, kept, seconds, created);
    } catch (RuntimeException failed) {
      kept.close();
      throw failed;
    }
  }

  /** The id is ours alone: found there, it was put by an earlier attempt. */
  private static long created(EtcdConnection etcd, String id, int seconds, long lease) {
    TxnResponse answer = etcd.commit(SessionTransactions.open(id, seconds, lease));
    return answer.isSucceeded()
        ? answer.getHeader().getRevision()
        : answer.getGetResponses().getFirst().getKvs().stream()
            .mapToLong(KeyValue::getCreateRevision)
            .findFirst()
            .orElseThrow();
  }

  String id() {
    return id;
  }

  int leaseSeconds() {
    return leaseSeconds;
  }

  /** What groups of tickets compare the alive key's modification revision with. */
  long fence() {
    return fence;
  }

  /** Whether the alive key is certainly there. */
  boolean valid() {
    return lease.valid();
  }

  /** Whether its alive key has to be there as of a revision, unless it is lost. */
  boolean begunBy(long revision) {
    return created <= revision;
  }

  /** Calls back once, in any thread, when it is lost or closed; at once if it is. */
  void whenOver(Runnable told) {
    lease.whenOver(told);
  }

  /**
   * From now on nothing that was sent before takes effect.
   *
   * @return the revision as of which that holds
   * @throws SessionLostException when the alive key is gone
   */
  long moveFence() {
    long before = fence;
    TxnResponse answer =
        etcd.repeat(
            () -> etcd.commit(SessionTransactions.fence(id, before, leaseSeconds, lease.id())));
    if (answer.isSucceeded()) {
      fence = answer.getHeader().getRevision();
    } else {
      // Moved already, by a try whose answer was lost.
      fence =
          answer.getGetResponses().getFirst().getKvs().stream()
              .filter(alive -> alive.getCreateRevision() == created)
              .mapToLong(KeyValue::getModRevision)
              .findFirst()
              .orElseThrow(this::gone);
    }
    return answer.getHeader().getRevision();
  }

  /** The alive key turned out to be gone, or cannot be counted on: no lock may outlive this. */
  SessionLostException gone() {
    lease.runOut();
    return new SessionLostException(id);
  }

  Key.Alive key() {
    return new Key.Alive(id);
  }

  @Override
  public void close() {
    lease.close();
  }
}
