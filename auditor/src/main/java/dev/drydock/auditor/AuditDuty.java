package dev.drydock.auditor;

import dev.drydock.auditor.core.Finding;
import dev.drydock.platform.metrics.Metrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Audits rollouts while they run, by following the event feed:
 *
 * <ol>
 *   <li>The hosts of the next events are audited with all that was logged of them.
 *   <li>A rollout whose end is told is audited as a whole, its budgets as well.
 *   <li>What is found anew becomes a row and an event, in the transaction that moves the position.
 *   <li>What pauses a rollout is told until whoever pauses it took it.
 *   <li>What cannot be audited, because its events are gone or the auditor fails over it, is told
 *       as Unknown, and keeps nobody from the rest.
 * </ol>
 *
 * Any number of processes may do it, and may die at any line: a round is repeated, and what was
 * found before is found again without another event.
 */
final class AuditDuty implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(AuditDuty.class);
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration PAUSE_MAX = Duration.ofSeconds(10);

  /** The pause after a round in times of how long it took: most of the machine is for the work. */
  private static final int PAUSES = 60;

  private final Auditor auditor;
  private final Jdbi jdbi;
  private final Violations violations;
  private final Consumer<RolloutViolation> pause;
  private final Metrics metrics;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("auditor").factory());

  AuditDuty(Auditor auditor, Jdbi jdbi, Consumer<RolloutViolation> pause, Metrics metrics) {
    this.auditor = auditor;
    this.jdbi = jdbi;
    this.violations = new Violations(jdbi);
    this.pause = pause;
    this.metrics = metrics;
  }

  AuditDuty start() {
    next(PAUSE);
    return this;
  }

  private void next(Duration pause) {
    timer.schedule(this::repeated, pause.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** What was not audited because something failed is only late until the next round. */
  private void repeated() {
    long began = System.nanoTime();
    try {
      round();
    } catch (RuntimeException | Error failed) {
      log.warn("could not audit, the next round repeats it", failed);
    }
    Duration pause = Duration.ofNanos(System.nanoTime() - began).multipliedBy(PAUSES);
    if (!timer.isShutdown()) {
      next(pause.compareTo(PAUSE) < 0 ? PAUSE : pause.compareTo(PAUSE_MAX) < 0 ? pause : PAUSE_MAX);
    }
  }

  /** All that is in the feed now. */
  void round() {
    metrics.auditLag.set(lag());
    boolean more = true;
    while (more && !Thread.currentThread().isInterrupted()) {
      more = step();
    }
    for (RolloutViolation violation : violations.untold()) {
      pause.accept(violation);
      violations.told(violation);
    }
  }

  /** Audits what some events concern; answers whether there may be more. */
  private boolean step() {
    List<RolloutViolation> fresh = new ArrayList<>();
    boolean more =
        jdbi.inTransaction(
            TransactionIsolationLevel.REPEATABLE_READ,
            handle -> {
              if (!alone(handle)) {
                return false;
              }
              Concerned concerned = Concerned.next(handle);
              if (concerned.isEmpty()) {
                return false;
              }
              if (concerned.lost() > 0) {
                unknown(
                    handle,
                    Optional.empty(),
                    "%d events up to number %d were gone before they were audited"
                        .formatted(concerned.lost(), concerned.last()));
              }
              concerned
                  .hosts()
                  .forEach(
                      (rollout, hosts) ->
                          fresh.addAll(
                              Violations.keep(
                                  handle, rollout, audit(handle, rollout, hosts, concerned))));
              handle
                  .createUpdate("UPDATE audit_position SET number = GREATEST(number, :number)")
                  .bind("number", concerned.last())
                  .execute();
              return concerned.isFull();
            });
    for (RolloutViolation violation : fresh) {
      metrics.auditViolations.labelValues(violation.invariant().name()).inc();
      log.error(
          "{} ({}) was violated in rollout {}: {}: {}",
          violation.invariant(),
          violation.invariant().title(),
          violation.rollout(),
          violation.object(),
          violation.says());
    }
    return more;
  }

  /** Of a rollout that the auditor fails over nothing is found. */
  private List<Finding> audit(
      Handle handle, String rollout, Set<String> hosts, Concerned concerned) {
    handle.savepoint(rollout);
    try {
      List<Finding> found =
          concerned.ended(rollout)
              ? auditor.audit(handle, rollout).map(Auditor.Report::findings).orElse(List.of())
              : auditor.auditHosts(handle, rollout, hosts);
      handle.releaseSavepoint(rollout);
      return found;
    } catch (RuntimeException failed) {
      handle.rollbackToSavepoint(rollout);
      log.error("could not audit rollout {}, going on without it", rollout, failed);
      unknown(handle, Optional.of(rollout), "the auditor failed over it: " + failed);
      return List.of();
    }
  }

  private void unknown(Handle handle, Optional<String> rollout, String says) {
    if (AuditGaps.tell(handle, rollout, says)) {
      metrics.auditGaps.inc();
    }
  }

  /** One process at a time is enough. */
  private static boolean alone(Handle handle) {
    return handle
        .createQuery("SELECT pg_try_advisory_xact_lock(hashtextextended('audit', 0))")
        .mapTo(Boolean.class)
        .one();
  }

  /** How many events wait to be looked at. */
  private long lag() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT GREATEST(0, (SELECT COALESCE(event_place(max(e.number)), 0) FROM events e) - event_place(number))
                    FROM audit_position
                    """)
                .mapTo(Long.class)
                .one());
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
