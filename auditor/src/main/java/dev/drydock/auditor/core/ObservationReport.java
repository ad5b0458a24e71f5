package dev.drydock.auditor.core;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * A row of {@code observed_reports}: a report that was taken in, or a read of a host at the end of
 * a job.
 *
 * @param issuedAt when its mark was fetched: nothing of it was observed later
 * @param report whether it is a report of its source, and not the read of a job
 * @param named the instances it names; empty when that is all its source has
 * @param oldestAt nothing of it was observed earlier
 */
public record ObservationReport(
    String source,
    long mark,
    Instant issuedAt,
    Instant receivedAt,
    boolean report,
    Optional<Set<String>> named,
    Instant oldestAt) {
  public ObservationReport {
    named = named.map(Set::copyOf);
  }
}
