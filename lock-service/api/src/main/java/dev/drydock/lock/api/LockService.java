package dev.drydock.lock.api;

import dev.drydock.lock.api.history.LockHistory;
import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Candidates;
import dev.drydock.lock.core.Generation;
import dev.drydock.lock.core.HoldOwner;
import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.HostDirectory;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Locks;
import dev.drydock.lock.core.MarkSequence;
import dev.drydock.lock.core.StoreTime;
import dev.drydock.lock.etcd.EtcdConfig;
import dev.drydock.lock.etcd.EtcdLocks;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.http.PostRoute;
import dev.drydock.platform.http.Resources;
import dev.drydock.platform.identity.AuditTrail;
import dev.drydock.platform.metrics.Metrics;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jdbi.v3.core.Jdbi;

/**
 * The room of the lock service. Opening it connects to etcd; the grantor runs only after {@link
 * #start}, with the admission and the candidates of the other rooms, which need {@link #holds}
 * first. Safe for use by many threads.
 */
public final class LockService implements Locks, AutoCloseable {
  private static final Duration VERIFIED_WITHIN = Duration.ofMinutes(10);
  private static final LockAudit NO_AUDIT = (principal, action, object, detail) -> {};

  private final EtcdLocks locks;
  private final OverdueHolds overdue;

  private final InstantSource clock;

  private LockService(EtcdLocks locks, InstantSource clock) {
    this.locks = locks;
    this.clock = clock;
    this.overdue = new OverdueHolds(locks.holds(), System::nanoTime, VERIFIED_WITHIN);
  }

  /**
   * Connects.
   *
   * @param marks the server's sequence, for locks that end without an observation
   * @throws IllegalStateException when etcd is not set up as configured
   */
  public static LockService open(EtcdConfig config, MarkSequence marks, Metrics metrics) {
    return open(config, marks, InstantSource.system(), metrics);
  }

  /** The same by another clock on the wall. */
  public static LockService open(
      EtcdConfig config, MarkSequence marks, InstantSource clock, Metrics metrics) {
    return new LockService(EtcdLocks.open(config, marks, clock, metrics), clock);
  }

  /** Stands for election as grantor, and grants while elected. Called once at most. */
  public void start(Admission admission, Candidates candidates) {
    locks.startGrantor(admission, candidates);
    overdue.start(locks::leads);
  }

  /** A candidate or a check may be waiting: decide soon. */
  public void poke() {
    locks.poke();
  }

  public Holds holds() {
    return locks.holds();
  }

  /** To be bumped by every change of what grants are judged by, before it is answered. */
  public Generation generation() {
    return locks.generation();
  }

  /** The most hosts that one grant takes, which is for ever too few for a larger batch. */
  public int hostsPerGrant() {
    return locks.hostsPerGrant();
  }

  /** How far etcd is, to be compared with PostgreSQL. */
  public StoreTime time() {
    return locks.time();
  }

  /** Writes down what happens to tickets and locks while this process is the grantor. */
  public LockHistory history(Jdbi jdbi) {
    return new LockHistory(locks.log(), jdbi);
  }

  @Override
  public LockTable table() {
    return locks.holds().table();
  }

  @Override
  public Optional<Instant> excludesUntil(LockRecord lock) {
    return locks.excludesUntil(lock);
  }

  /** The lock on a host, lapsed ones included. */
  public Optional<LockRecord> hostLock(String host) {
    return locks.lockOn(host);
  }

  /** Whether this process is the grantor now. */
  public boolean leads() {
    return locks.leads();
  }

  /** When a lapsed lock was written down as such. */
  @FunctionalInterface
  interface Lapses {
    Optional<Instant> at(String lock);
  }

  /**
   * The API; who asked for what is written to the audit of {@code jdbi}.
   *
   * @param owner told when a batch's hold is broken
   */
  public Resources resources(HostDirectory hosts, HoldOwner owner, Jdbi jdbi) {
    return resources(hosts, owner, audit(jdbi), history(jdbi)::lapsedAt, () -> recovery(jdbi));
  }

  /**
   * The same API without PostgreSQL, for processes that are measured or that faults are done to: no
   * audit is written, and no store is ever recovered.
   */
  public Resources resources(HostDirectory hosts, HoldOwner owner) {
    return resources(hosts, owner, NO_AUDIT, id -> Optional.empty(), Optional::empty);
  }

  Resources resources(
      HostDirectory hosts,
      HoldOwner owner,
      LockAudit audit,
      Lapses lapses,
      Supplier<Optional<String>> recovery) {
    Tickets tickets = new Tickets(locks, new TicketValidation(hosts), audit, recovery, clock);
    FleetBrake brake = new FleetBrake(locks.brake(), audit, clock);
    BreakGlass breakGlass = new BreakGlass(locks.holds(), owner, audit);
    return Resources.of(LocksResource.class, () -> new LocksResource(tickets, breakGlass, lapses))
        .and(FreezeResource.class, () -> new FreezeResource(brake));
  }

  /** What FleetLock clients call; hosts are found by name or by the label fleetlock-id. */
  public List<PostRoute> fleetLock(
      HostDirectory hosts, Jdbi jdbi, ServerConfig.FleetLock patience) {
    FleetLock.Records records = new FleetLock.Records(audit(jdbi), BootIdHistory.in(jdbi));
    return fleetLock(hosts, records, FleetLock.Times.of(patience));
  }

  /**
   * The same without PostgreSQL: nobody remembers when hosts were started.
   *
   * @param answer how long a poll is kept open for the grant
   * @param interval without another poll for so long a client loses its place
   * @param maximum after which a host that does not come back is verified
   */
  public List<PostRoute> fleetLock(
      HostDirectory hosts, Duration answer, Duration interval, Duration maximum) {
    FleetLock.Records records = new FleetLock.Records(NO_AUDIT, (host, ticket) -> {});
    return fleetLock(hosts, records, new FleetLock.Times(answer, interval, maximum));
  }

  List<PostRoute> fleetLock(HostDirectory hosts, FleetLock.Records records, FleetLock.Times times) {
    return new FleetLockRoutes(new FleetLock(locks, hosts, records, clock, times)).routes();
  }

  private static Optional<String> recovery(Jdbi jdbi) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT reason FROM recoveries WHERE ended_at IS NULL")
                .mapTo(String.class)
                .findOne());
  }

  private static LockAudit audit(Jdbi jdbi) {
    return (principal, action, object, detail) ->
        jdbi.useTransaction(handle -> AuditTrail.record(handle, principal, action, object, detail));
  }

  @Override
  public void close() {
    overdue.close();
    locks.close();
  }
}
