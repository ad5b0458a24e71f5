package dev.drydock.orchestrator;

import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.LockTable;
import dev.drydock.orchestrator.activity.BrokenBatch;
import dev.drydock.orchestrator.batch.HoldReleaser;
import dev.drydock.orchestrator.store.OrphanRows;
import dev.drydock.orchestrator.store.OrphanRows.Course;
import dev.drydock.orchestrator.store.OrphanRows.Worked;
import dev.drydock.platform.metrics.Metrics;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the holds in etcd with the grants in PostgreSQL. What fits together is written in an
 * order that makes each of them certain of the other, so whatever is found here was lost or made by
 * hand:
 *
 * <ol>
 *   <li>A hold without a grant: nobody knows what was done there, it becomes a quarantine.
 *   <li>A hold of a batch that ended, and whose hold had ended: it ends again.
 *   <li>A batch under way on a host without its hold: nobody works it any more, its hosts are left
 *       to people, and the grantor locks those that are free.
 * </ol>
 *
 * Every step may be repeated; any number of processes may look.
 */
final class OrphanHolds {
  private static final Logger log = LoggerFactory.getLogger(OrphanHolds.class);

  private final OrphanRows rows;
  private final Holds holds;
  private final HoldReleaser holdReleaser;
  private final BrokenBatch broken;
  private final Metrics metrics;
  private final BooleanSupplier agree;

  /**
   * Compares nothing yet.
   *
   * @param agree whether both stores are of one time, asked after both were read: what a restored
   *     one does not tell of is no orphan
   */
  OrphanHolds(Jdbi jdbi, Holds holds, Metrics metrics, BooleanSupplier agree) {
    this.agree = agree;
    this.rows = new OrphanRows(jdbi);
    this.holds = holds;
    this.holdReleaser = new HoldReleaser(jdbi, holds);
    this.broken = new BrokenBatch(jdbi);
    this.metrics = metrics;
  }

  /**
   * One look. Rows of batches are read before the holds, as a hold is there before its row says
   * granted; rows of holds after them, as the row is there before its hold.
   */
  void look() {
    List<Worked> worked = rows.worked();
    LockTable table = holds.table();
    if (!agree.getAsBoolean()) {
      return;
    }
    withoutGrant(table);
    worked.stream()
        .filter(one -> !holdsHost(table, one))
        .collect(Collectors.groupingBy(Worked::grant, Collectors.toSet()))
        .forEach(this::withoutHold);
  }

  /** One look at holds alone: those of batches under way are being brought back. */
  void lookAtHolds() {
    withoutGrant(holds.table());
  }

  private static boolean holdsHost(LockTable table, Worked worked) {
    LockRecord lock = table.locks().get(worked.host());
    return lock != null && lock.id().equals(worked.grant());
  }

  private void withoutGrant(LockTable table) {
    List<LockRecord> batches =
        table.locks().values().stream().filter(lock -> lock.kind() == Kind.BATCH).toList();
    Map<String, Course> courses =
        rows.courses(batches.stream().map(LockRecord::id).collect(Collectors.toSet()));
    for (LockRecord lock : batches) {
      Optional<Course> course = Optional.ofNullable(courses.get(lock.id()));
      switch (OrphanDecision.of(course)) {
        case NONE -> {}
        case END -> {
          found("ended", lock.host() + " is held by " + lock.id() + " again, which has ended");
          holdReleaser.finish(lock.id());
        }
        case QUARANTINE -> {
          found("hold", lock.host() + " is held by " + lock.id() + ", which is no grant");
          String why = "it was held by " + lock.id() + ", of which nothing else is known";
          holds.quarantine(lock.id(), lock.host(), why);
        }
      }
    }
  }

  /** Asked again at the end: the batch may have ended since its rows were read. */
  private void withoutHold(String grant, Set<Worked> missing) {
    Set<String> still = rows.worked(grant);
    Set<String> hosts =
        missing.stream().map(Worked::host).filter(still::contains).collect(Collectors.toSet());
    if (hosts.isEmpty()) {
      return;
    }
    found("grant", "batch " + grant + " is under way, but etcd has no hold of it on " + hosts);
    broken.bar(grant);
    String why = "batch " + grant + " was under way, but the hold on " + hosts + " is gone";
    for (String host : still) {
      holds.quarantine(grant, host, why);
    }
    broken.left(grant, why);
  }

  private void found(String kind, String what) {
    metrics.orphans.labelValues(kind).inc();
    log.error("{}", what);
  }
}
