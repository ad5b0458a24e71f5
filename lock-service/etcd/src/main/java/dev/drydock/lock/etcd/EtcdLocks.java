package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Candidates;
import dev.drydock.lock.core.Generation;
import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.MarkSequence;
import dev.drydock.lock.core.StoreTime;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.proto.clock.BootClock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * All of the lock service that lives in etcd. Opening it checks etcd and its settings; the grantor
 * stands for election only when {@link #startGrantor} is called. Safe for use by many threads.
 */
public final class EtcdLocks implements AutoCloseable {
  private final EtcdConnection etcd;
  private final EtcdMirror etcdMirror;
  private final LockDelays delays;
  private final TicketAnswers answers = new TicketAnswers();
  private final EtcdHolds holds;
  private final TicketClient desk;
  private final MarkSequence marks;
  private final InstantSource clock;
  private final Metrics metrics;
  private volatile @Nullable GrantorLoop grantor;

  private EtcdLocks(EtcdConnection etcd, MarkSequence marks, InstantSource clock, Metrics metrics) {
    this.etcd = etcd;
    this.marks = marks;
    this.clock = clock;
    this.metrics = metrics;
    etcdMirror = new EtcdMirror(etcd);
    etcdMirror.start();
    delays = new LockDelays(clock, System::nanoTime);
    etcdMirror.follow(delays.following(etcdMirror));
    holds = new EtcdHolds(etcd, etcdMirror);
    etcdMirror.follow(answers);
    desk =
        new TicketClient(new TicketClient.Parts(etcd, etcdMirror, delays, answers), marks, clock);
  }

  /**
   * Connects.
   *
   * @throws IllegalStateException when etcd takes fewer operations per transaction than configured
   */
  public static EtcdLocks open(
      EtcdConfig config, MarkSequence marks, InstantSource clock, Metrics metrics) {
    return open(config, marks, clock, metrics, TransactionHook.NONE);
  }

  static EtcdLocks open(
      EtcdConfig config,
      MarkSequence marks,
      InstantSource clock,
      Metrics metrics,
      TransactionHook hook) {
    EtcdConnection etcd = new EtcdConnection(config, hook);
    etcd.tell(full -> metrics.etcdFull.set(full ? 1 : 0));
    try {
      EtcdStartCheck.run(etcd);
      return new EtcdLocks(etcd, marks, clock, metrics);
    } catch (RuntimeException failed) {
      etcd.close();
      throw failed;
    }
  }

  /** Stands for election from now on, and grants while elected. */
  public void startGrantor(Admission admission, Candidates candidates) {
    startGrantor(admission, candidates, true);
  }

  /** Unfenced only for the test that shows what the fence is for. */
  GrantorLoop startGrantor(Admission admission, Candidates candidates, boolean fenced) {
    if (grantor != null) {
      throw new IllegalStateException("the grantor was started before");
    }
    GrantorLoop loop =
        new GrantorLoop(
            new GrantorDependencies(
                etcd, etcdMirror, delays, admission, candidates, marks, clock, metrics, fenced),
            BootClock.system(),
            ProcessHandle.current().pid() + "-" + UUID.randomUUID().toString().substring(0, 8));
    grantor = loop;
    loop.start();
    return loop;
  }

  /** Candidates or checks may be waiting: decide again soon. Does nothing where no grantor runs. */
  public void poke() {
    GrantorLoop loop = grantor;
    if (loop != null) {
      loop.poke();
    }
  }

  /** Whether this process is the elected grantor now. */
  public boolean leads() {
    GrantorLoop loop = grantor;
    return loop != null && loop.leadership().isPresent();
  }

  public Holds holds() {
    return holds;
  }

  /** The most hosts that one grant takes. */
  public int hostsPerGrant() {
    return etcd.config().hostsPerGrant();
  }

  public Generation generation() {
    return new EtcdGeneration(etcd);
  }

  /** The fleet brake. */
  public EtcdBrake brake() {
    return new EtcdBrake(etcd);
  }

  /** How far etcd is, to be compared with what remembers what was asked. */
  public StoreTime time() {
    return new EtcdTime(etcd, etcdMirror);
  }

  /** What changed, from which the history is written. */
  public EtcdLog log() {
    return new EtcdLog(etcd);
  }

  /** The queue for clients that only poll. */
  public PolledTickets polled() {
    return new PolledTickets(etcd, etcdMirror, answers);
  }

  EtcdMirror mirror() {
    return etcdMirror;
  }

  public TicketClient desk() {
    return desk;
  }

  /** The lock on a host, lapsed ones included. */
  public Optional<LockRecord> lockOn(String host) {
    return etcdMirror.askNow(replica -> replica.lockOn(host));
  }

  /**
   * Whether it is noted that a lock lapsed or outlived its maximum; as of what was asked before.
   */
  public boolean noted(LockRecord lock) {
    return etcdMirror.ask(replica -> replica.noted(lock));
  }

  /**
   * About until when an expired lock goes on excluding; empty where this process did not see it.
   */
  public Optional<Instant> excludesUntil(LockRecord lock) {
    return delays.until(lock);
  }

  /** What is left of the lease of a client, in seconds; empty when it has none (any more). */
  public OptionalLong leaseSecondsLeft(String id) {
    return etcd.repeat(() -> etcd.get(new Key.Alive(id)))
        .map(alive -> etcd.repeat(() -> etcd.secondsLeft(alive.getLease())))
        .filter(left -> left > 0)
        .map(OptionalLong::of)
        .orElseGet(OptionalLong::empty);
  }

  /** Ends the quarantine that people were shown and vouch for; false when it is over. */
  public boolean endQuarantine(LockRecord shown, String by, String reason) {
    return holds.endQuarantine(shown, marks.next(), by, reason);
  }

  @Override
  public void close() {
    GrantorLoop loop = grantor;
    if (loop != null) {
      loop.close();
    }
    etcdMirror.close();
    etcd.close();
  }
}
