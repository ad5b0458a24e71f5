package dev.drydock.auditor;

import dev.drydock.auditor.api.AuditsResource;
import dev.drydock.auditor.core.Audit;
import dev.drydock.auditor.core.Finding;
import dev.drydock.platform.http.Resources;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
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

  /**
   * @param passingMax how long a request for hosts may be passed by later ones, in all
   */
  public Auditor(Jdbi jdbi, Duration passingMax) {
    this.jdbi = jdbi;
    this.passingMax = passingMax;
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

  /** Audits the whole rollout as of one moment; empty if there is none. */
  public Optional<Report> audit(String rollout) {
    return jdbi.inTransaction(
        TransactionIsolationLevel.REPEATABLE_READ, handle -> audit(handle, rollout));
  }

  /** The same in a transaction of the caller. */
  public Optional<Report> audit(Handle handle, String rollout) {
    LogReader reader = new LogReader(handle);
    return reader
        .rollout(rollout)
        .map(
            found -> {
              Audit audit = new Audit(found, passingMax);
              reader.pages(rollout, audit::look);
              return new Report(rollout, found.readAt(), audit.findings());
            });
  }

  /** The resource audits. */
  public Resources resources() {
    return Resources.of(AuditsResource.class, () -> new AuditsResource(this::audit));
  }
}
