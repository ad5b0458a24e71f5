package dev.drydock.auditor;

import dev.drydock.auditor.core.Finding;
import dev.drydock.platform.metrics.Metrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
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
  private static final int PAUSES = 20;

  private static final int EVENTS_AT_ONCE = 2000;

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
    } catch (RuntimeException failed) {
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
      more = step();
    }
    for (RolloutViolation violation : violations.untold()) {
      pause.accept(violation);
      violations.told(violation);
    }
  }

  /** What the next events concern. */
  private static final class Concerned {
    private final Map<String, Set<String>> hosts = new HashMap<>();
    private final Set<String> ended = new TreeSet<>();
    private long last;
    private int events;
  }

  /** Audits what some events concern; answers whether there may be more. */
  private boolean step() {
    List<RolloutViolation> fresh = new ArrayList<>();
    boolean more =
        jdbi.inTransaction(
            TransactionIsolationLevel.REPEATABLE_READ,
            handle -> {
              Concerned concerned = alone(handle) ? concerned(handle) : new Concerned();
              if (concerned.events == 0) {
                return false;
              }
              concerned.hosts.forEach(
                  (rollout, hosts) ->
                      fresh.addAll(
                          Violations.keep(
                              handle, rollout, audit(handle, rollout, hosts, concerned))));
              handle
                  .createUpdate("UPDATE audit_position SET number = GREATEST(number, :number)")
                  .bind("number", concerned.last)
                  .execute();
              return concerned.events == EVENTS_AT_ONCE;
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

  private List<Finding> audit(
      Handle handle, String rollout, Set<String> hosts, Concerned concerned) {
    return concerned.ended.contains(rollout)
        ? auditor.audit(handle, rollout).map(Auditor.Report::findings).orElse(List.of())
        : auditor.auditHosts(handle, rollout, hosts);
  }

  /** One process at a time is enough. */
  private static boolean alone(Handle handle) {
    return handle
        .createQuery("SELECT pg_try_advisory_xact_lock(hashtextextended('audit', 0))")
        .mapTo(Boolean.class)
        .one();
  }

  private static Concerned concerned(Handle handle) {
    Concerned concerned = new Concerned();
    handle
        .createQuery(
            """
            SELECT number, kind, rollout, host FROM events
            WHERE number > (SELECT number FROM audit_position)
              AND number <= (SELECT number FROM audit_position) + :limit
            ORDER BY number
            """)
        .bind("limit", EVENTS_AT_ONCE)
        .map(
            (row, _) -> {
              concerned.events++;
              concerned.last = row.getLong("number");
              String rollout = row.getString("rollout");
              String host = row.getString("host");
              if (rollout != null) {
                Set<String> hosts = concerned.hosts.computeIfAbsent(rollout, _ -> new TreeSet<>());
                if (host != null) {
                  hosts.add(host);
                }
                if (row.getString("kind").equals("RolloutEnded")) {
                  concerned.ended.add(rollout);
                }
              }
              return concerned.last;
            })
        .list();
    return concerned;
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
