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
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
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
 *   <li>A rollout whose end is told is audited as a whole, its budgets as well; after the others,
 *       and outside of the transactions that write: it may take minutes.
 *   <li>What is found anew becomes a row and an event, before or with the transaction that moves
 *       the position.
 *   <li>What pauses a rollout is told until whoever pauses it took it.
 *   <li>What cannot be audited, because its events are gone or the auditor fails over it or does
 *       not come to its end, is told as Unknown, and keeps nobody from the rest.
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

  /** How long the others may wait for the audit of a rollout that ended. */
  private static final Duration WHOLE_MAX = Duration.ofMinutes(10);

  private final Auditor auditor;
  private final Jdbi jdbi;
  private final Violations violations;
  private final Consumer<RolloutViolation> pause;
  private final Metrics metrics;
  private final FullAuditRunner whole;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("auditor").factory());

  AuditDuty(Auditor auditor, Jdbi jdbi, Consumer<RolloutViolation> pause, Metrics metrics) {
    this(auditor, jdbi, pause, metrics, auditor::findings, WHOLE_MAX);
  }

  /**
   * @param whole what is found in a rollout that ended
   * @param wholeMax how long that may take
   */
  AuditDuty(
      Auditor auditor,
      Jdbi jdbi,
      Consumer<RolloutViolation> pause,
      Metrics metrics,
      Function<String, List<Finding>> whole,
      Duration wholeMax) {
    this.auditor = auditor;
    this.jdbi = jdbi;
    this.violations = new Violations(jdbi);
    this.pause = pause;
    this.metrics = metrics;
    this.whole = new FullAuditRunner(whole, wholeMax, this::tellLag);
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
    boolean more = true;
    while (more && !Thread.currentThread().isInterrupted()) {
      tellLag();
      more = alone(this::step);
    }
    pause();
  }

  private void tellLag() {
    metrics.auditLag.set(lag());
  }

  private void pause() {
    for (RolloutViolation violation : violations.untold()) {
      pause.accept(violation);
      violations.told(violation);
    }
  }

  /** Before what may take long. If it fails, the end of the round repeats it. */
  private void pauseNow() {
    try {
      pause();
    } catch (RuntimeException failed) {
      log.warn("could not pause before the audit of what ended", failed);
    }
  }

  /** Audits what some events concern; answers whether there may be more. */
  private boolean step() {
    AffectedRollouts affectedRollouts =
        jdbi.inTransaction(TransactionIsolationLevel.REPEATABLE_READ, AffectedRollouts::next);
    if (affectedRollouts.isEmpty()) {
      return false;
    }
    kept(handle -> running(handle, affectedRollouts));
    List<String> ended =
        affectedRollouts.hosts().keySet().stream().filter(affectedRollouts::ended).toList();
    if (!ended.isEmpty()) {
      pauseNow();
    }
    for (String rollout : ended) {
      FullAuditRunner.Outcome outcome = whole.of(rollout);
      kept(
          handle -> {
            outcome.unknown().ifPresent(why -> unknown(handle, Optional.of(rollout), why));
            return Violations.keep(handle, rollout, outcome.findings());
          });
    }
    jdbi.useHandle(
        handle ->
            handle
                .createUpdate("UPDATE audit_position SET number = GREATEST(number, :number)")
                .bind("number", affectedRollouts.last())
                .execute());
    return affectedRollouts.isFull();
  }

  /** What was found anew is told once it is kept. */
  private void kept(Function<Handle, List<RolloutViolation>> found) {
    for (RolloutViolation violation :
        jdbi.inTransaction(TransactionIsolationLevel.REPEATABLE_READ, found::apply)) {
      metrics.auditViolations.labelValues(violation.invariant().name()).inc();
      log.error(
          "{} ({}) was violated in rollout {}: {}: {}",
          violation.invariant(),
          violation.invariant().title(),
          violation.rollout(),
          violation.object(),
          violation.says());
    }
  }

  /** The hosts of the rollouts that did not end, and what is gone. */
  private List<RolloutViolation> running(Handle handle, AffectedRollouts affectedRollouts) {
    if (affectedRollouts.lost() > 0) {
      unknown(
          handle,
          Optional.empty(),
          "%d events up to number %d were gone before they were audited"
              .formatted(affectedRollouts.lost(), affectedRollouts.last()));
    }
    List<RolloutViolation> fresh = new ArrayList<>();
    affectedRollouts
        .hosts()
        .forEach(
            (rollout, hosts) -> {
              if (!affectedRollouts.ended(rollout)) {
                fresh.addAll(Violations.keep(handle, rollout, audit(handle, rollout, hosts)));
              }
            });
    return fresh;
  }

  /** Of a rollout that the auditor fails over nothing is found. */
  private List<Finding> audit(Handle handle, String rollout, Set<String> hosts) {
    handle.savepoint(rollout);
    try {
      List<Finding> found = auditor.auditHosts(handle, rollout, hosts);
      handle.releaseSavepoint(rollout);
      return found;
    } catch (RuntimeException | Error failed) {
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

  /**
   * One process at a time is enough. The lock is of a connection and not of a transaction: one that
   * is open for minutes would keep the database from cleaning up.
   */
  private boolean alone(BooleanSupplier work) {
    return jdbi.withHandle(
        handle -> {
          if (!isTrue(handle, "SELECT pg_try_advisory_lock(hashtextextended('audit', 0))")) {
            return false;
          }
          try {
            return work.getAsBoolean();
          } finally {
            isTrue(handle, "SELECT pg_advisory_unlock(hashtextextended('audit', 0))");
          }
        });
  }

  private static boolean isTrue(Handle handle, String query) {
    return handle.createQuery(query).mapTo(Boolean.class).one();
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
