package dev.drydock.auditor;

import dev.drydock.auditor.api.AuditsResource;
import dev.drydock.auditor.core.Finding;
import dev.drydock.auditor.core.RolloutAudit;
import dev.drydock.platform.http.Resources;
import dev.drydock.platform.metrics.Metrics;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;

/**
 * The auditor's room: what the logs of a rollout say of each invariant, recomputed by its own code.
 * Safe for use by many threads.
 */
public final class Auditor {
  private final Jdbi jdbi;
  private final Duration passingMax;
  private final Duration staleness;

  /**
   * @param passingMax how long a request for hosts may be passed by later ones, in all
   * @param staleness how old what a decision rests on may be
   */
  public Auditor(Jdbi jdbi, Duration passingMax, Duration staleness) {
    this.jdbi = jdbi;
    this.passingMax = passingMax;
    this.staleness = staleness;
  }

  /**
   * What was found.
   *
   * @param at when the logs were read
   * @param findings one for each invariant, in their order
   */
  public record Report(String rollout, Instant at, List<Finding> findings) {
    public Report {
      findings = List.copyOf(findings);
    }
  }

  /**
   * Audits the whole rollout as of one moment; empty if there is none.
   *
   * @throws CancellationException when its thread is interrupted
   */
  public Optional<Report> audit(String rollout) {
    return jdbi.inTransaction(
        TransactionIsolationLevel.REPEATABLE_READ,
        handle -> {
          handle.execute("SET TRANSACTION READ ONLY");
          return audit(handle, rollout);
        });
  }

  private static void mayGoOn() {
    if (Thread.currentThread().isInterrupted()) {
      throw new CancellationException("the audit was told to end");
    }
  }

  /** What that finds; nothing if there is no such rollout. */
  List<Finding> findings(String rollout) {
    return audit(rollout).map(Report::findings).orElse(List.of());
  }

  /** The same in a transaction of the caller. */
  public Optional<Report> audit(Handle handle, String rollout) {
    LogReader reader = new LogReader(handle);
    return reader
        .rollout(rollout)
        .map(
            found -> {
              RolloutAudit rolloutAudit =
                  new RolloutAudit(found, passingMax, staleness, Auditor::mayGoOn);
              reader.pages(rollout, rolloutAudit::look);
              new ObservationRows(handle)
                  .applications(rollout, found.createdAt(), rolloutAudit::look);
              return new Report(rollout, found.readAt(), rolloutAudit.findings());
            });
  }

  /**
   * What the logs say of some hosts of a rollout and the grants that begin with them, but of its
   * budgets and of hosts that are missing. In a transaction of the caller.
   */
  List<Finding> auditHosts(Handle handle, String rollout, Set<String> hosts) {
    LogReader reader = new LogReader(handle);
    return reader
        .rolloutInPart(rollout)
        .map(
            found -> {
              RolloutAudit rolloutAudit = new RolloutAudit(found, passingMax, staleness, () -> {});
              rolloutAudit.look(reader.ofHosts(rollout, hosts));
              return rolloutAudit.findings();
            })
        .orElse(List.of());
  }

  /**
   * Follows the feed from now on and audits what happens.
   *
   * @param pause is told of each violation after which going on may do more harm, until it returns:
   *     more than once, should the process die meanwhile
   */
  public AutoCloseable start(Metrics metrics, Consumer<RolloutViolation> pause) {
    return new AuditDuty(this, jdbi, pause, metrics).start();
  }

  /** The resource audits. */
  public Resources resources() {
    return Resources.of(AuditsResource.class, () -> new AuditsResource(this::audit));
  }
}
