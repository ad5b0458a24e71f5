package dev.drydock.orchestrator.recovery;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.StoreTime;
import dev.drydock.orchestrator.activity.HostReadback;
import dev.drydock.orchestrator.batch.BatchPolicies;
import dev.drydock.orchestrator.batch.BatchRun;
import dev.drydock.orchestrator.batch.PoliciesInForce;
import dev.drydock.orchestrator.batch.SnapshotReader;
import dev.drydock.orchestrator.recovery.Recoveries.Open;
import dev.drydock.orchestrator.recovery.Recoveries.Progress;
import dev.drydock.orchestrator.store.StaleRunException;
import dev.drydock.platform.store.Sql;
import dev.drydock.proto.clock.BootClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leads out of a recovery (protocol P10). Each step may be repeated after a death, and any number
 * of processes may do them:
 *
 * <ol>
 *   <li>Join what both stores know of.
 *   <li>See to it that every host of that is read back: batches that are reclaimed do so.
 *   <li>Wait until nobody can believe any more in a lease from before. A process that starts anew
 *       waits anew.
 *   <li>Begin the next epoch, in etcd and then in PostgreSQL.
 * </ol>
 *
 * Confined to one thread.
 */
public final class RecoveryDriver {
  private static final Logger log = LoggerFactory.getLogger(RecoveryDriver.class);

  private final Jdbi jdbi;
  private final Holds holds;
  private final StoreTime etcd;
  private final Recoveries recoveries;
  private final StoreReconciler storeReconciler;
  private final Batches batches;
  private final LeaseGracePeriod leaseGracePeriod;
  private final BootClock clock;
  private long seen;
  private Duration since = Duration.ZERO;

  /** What is recovered. */
  public record Stores(Jdbi jdbi, Holds holds, StoreTime etcd) {}

  /**
   * How batches are read, with what policies say of them, and moved.
   *
   * @param drive moves one on, as its workflow does; may throw
   */
  public record Batches(SnapshotReader reader, BatchPolicies policies, Consumer<BatchRun> drive) {}

  public RecoveryDriver(
      Stores stores, Batches batches, LeaseGracePeriod leaseGracePeriod, BootClock clock) {
    this.jdbi = stores.jdbi();
    this.holds = stores.holds();
    this.etcd = stores.etcd();
    this.recoveries = new Recoveries(jdbi);
    this.storeReconciler = new StoreReconciler(jdbi, holds, etcd, batches.policies());
    this.batches = batches;
    this.leaseGracePeriod = leaseGracePeriod;
    this.clock = clock;
  }

  /** What may be done meanwhile. */
  public enum Mode {
    /** Everything. */
    NONE,
    /** Nothing: rows and holds are not known to fit together. */
    CLOSED,
    /** Hosts are read back. */
    READING
  }

  public Mode mode() {
    return recoveries
        .open()
        .map(open -> open.epoch().isPresent() ? Mode.READING : Mode.CLOSED)
        .orElse(Mode.NONE);
  }

  /** Does what can be done now. */
  public void step() {
    Optional<Open> open = recoveries.open();
    if (open.isEmpty()) {
      return;
    }
    Open recovery = open.get();
    if (recovery.id() != seen) {
      seen = recovery.id();
      since = clock.sinceBoot();
      log.error("recovery mode: {}", recovery.reason());
      // It may be open because the copy is of a recovery, too.
      jdbi.useTransaction(handle -> new NumberRestorer(handle).leap());
      if (recovery.behind() == StoreAgreement.Store.ETCD) {
        // It may have come as far again as the copy of this process, which tells of another one.
        etcd.forget();
      }
    }
    if (recovery.epoch().isEmpty()) {
      storeReconciler.join(recovery);
      return;
    }
    drive(recovery);
    PoliciesInForce policies = batches.policies().now();
    jdbi.useTransaction(handle -> noteRead(handle, recovery, policies));
    if (recoveries.progress(recovery).done() && locked() && left(recovery).isZero()) {
      end(recovery);
    }
  }

  /**
   * Moves batches whose hosts are to be read. A Temporal that was put back with PostgreSQL may
   * start no workflow of theirs: what it has in memory says that one runs, and its rows that none
   * does.
   */
  private void drive(Open recovery) {
    List<BatchRun> unread =
        jdbi.withHandle(
            handle ->
                handle
                    .createQuery(
                        """
                        SELECT id, run FROM grants WHERE state = 'granted' AND id IN (
                          SELECT grant_id FROM recovery_hosts
                          WHERE recovery = :id AND read_at IS NULL)
                        ORDER BY id
                        """)
                    .bind("id", recovery.id())
                    .map((row, _) -> new BatchRun(row.getString("id"), row.getInt("run"), false))
                    .list());
    for (BatchRun run : unread) {
      try {
        batches.drive().accept(run);
      } catch (StaleRunException followed) {
        log.debug("{} is driven by a later run", run.grant());
      } catch (RuntimeException failed) {
        log.warn("grant {} is not read yet, the next round repeats it", run.grant(), failed);
      }
    }
  }

  /** Nobody gets a host that is to be locked; who has one keeps it, for however long. */
  private boolean locked() {
    return holds.table().locks().keySet().containsAll(recoveries.toLock());
  }

  /** For how long somebody may still believe in a lease from before. */
  private Duration left(Open recovery) {
    Duration left =
        leaseGracePeriod.longest(recovery.behind()).minus(clock.sinceBoot().minus(since));
    return left.isNegative() ? Duration.ZERO : left;
  }

  private void noteRead(Handle handle, Open recovery, PoliciesInForce policies) {
    Map<String, List<String>> unread =
        handle
            .createQuery(
                """
                SELECT grant_id, host FROM recovery_hosts
                WHERE recovery = :id AND read_at IS NULL ORDER BY host
                """)
            .bind("id", recovery.id())
            .map((row, _) -> Map.entry(row.getString("grant_id"), row.getString("host")))
            .collect(groupingBy(Map.Entry::getKey, mapping(Map.Entry::getValue, toList())));
    unread.forEach(
        (grant, hosts) -> {
          Set<String> unknown = HostReadback.unknown(handle, batches.reader(), grant, policies);
          hosts.stream()
              .filter(host -> !unknown.contains(host))
              .forEach(host -> noteRead(handle, recovery, host));
        });
  }

  private static void noteRead(Handle handle, Open recovery, String host) {
    Sql.update(
        handle,
        """
        UPDATE recovery_hosts SET read_at = clock_timestamp()
        WHERE recovery = :id AND host = :host AND read_at IS NULL
        """,
        Map.of("id", recovery.id(), "host", host));
  }

  /** In etcd first: a death in between leaves the recovery open, and it ends again. */
  private void end(Open recovery) {
    Progress progress = recoveries.progress(recovery);
    long epoch = recovery.epoch().orElseThrow();
    boolean ended =
        jdbi.inTransaction(
            handle -> {
              Optional<Long> mine =
                  Sql.find(
                      handle,
                      Long.class,
                      """
                      SELECT id FROM recoveries WHERE id = :id AND ended_at IS NULL
                      FOR UPDATE SKIP LOCKED
                      """,
                      Map.of("id", recovery.id()));
              if (mine.isEmpty()) {
                return false;
              }
              long beat = Math.max(etcd.now().beat(), Beats.taken(handle)) + 1;
              etcd.begin(epoch, beat);
              Beats.begin(handle, epoch, beat);
              Recoveries.end(handle, recovery, progress);
              return true;
            });
    if (ended) {
      log.warn("recovery mode ends: {} hosts were read back, epoch {}", progress.hosts(), epoch);
    }
  }
}
