package dev.drydock.impact.service;

import dev.drydock.impact.core.ExternalAnswers;
import dev.drydock.impact.core.Fleet;
import dev.drydock.impact.core.FleetHost;
import dev.drydock.impact.core.Policies;
import dev.drydock.impact.core.SourceReport;
import dev.drydock.impact.service.controllers.InquiryRows;
import dev.drydock.impact.service.gates.GateWatch;
import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Reads the fleet as of now. Ages are taken by the clock of the database, which also stamps marks
 * and observations. Safe for use by many threads.
 */
final class FleetReader {
  private final Duration reportAgeMax;
  private final GateWatch gates;
  private final PolicyReader policies;
  private final FleetMirror mirror = new FleetMirror();

  /**
   * A reader that read nothing yet.
   *
   * @param reportAgeMax a source whose newest report is older is not believed
   * @param gates what monitoring says of gates
   */
  FleetReader(Duration reportAgeMax, GateWatch gates, PolicyReader policies) {
    this.reportAgeMax = reportAgeMax;
    this.gates = gates;
    this.policies = policies;
  }

  /** A fleet and the policies in force over it, with the facts their rules need. */
  record View(Fleet fleet, Policies policies) {}

  /**
   * The fleet in the view of the handle's transaction; {@code table} tells where the last locks
   * ended. Of a transaction that has read nothing before it costs what changed since the last one.
   */
  View read(Handle handle, LockTable table) {
    return mirror.inTurn(
        () -> {
          Policies inForce = policies.in(handle).policies();
          return new View(fleet(handle, table, inForce), inForce);
        });
  }

  private Fleet fleet(Handle handle, LockTable table, Policies inForce) {
    Instant now =
        handle.createQuery("SELECT clock_timestamp()").mapTo(Timestamp.class).one().toInstant();
    return new Fleet(
        now,
        reportAgeMax,
        reports(handle),
        mirror.read(handle, inForce.labels()),
        host -> locked(host, table),
        PastDisruptions.read(handle, table, inForce),
        new ExternalAnswers(
            gates.readings(inForce.gates(), now), InquiryRows.read(handle, inForce)));
  }

  /** What is locked and what was is little beside the fleet, so hosts are kept without it. */
  private static FleetHost locked(FleetHost host, LockTable table) {
    EndedLock endedLock = table.ended().get(host.name());
    LockRecord lock = table.locks().get(host.name());
    boolean inBatch = lock != null && lock.kind() == LockRecord.Kind.BATCH;
    long mark = endedLock == null ? 0 : endedLock.mark();
    return !inBatch && mark <= host.lastEffectMark()
        ? host
        : new FleetHost(
            host.name(),
            host.source(),
            host.vanished(),
            Math.max(mark, host.lastEffectMark()),
            host.labels(),
            inBatch);
  }

  /**
   * Hosts that were not seen started anew since the FleetLock client that holds them asked: by an
   * observation that began later and was the first of its boot id, where the one before was that of
   * the moment the client asked, or seen later too. Where no boot id is observed it cannot be told,
   * and the host is none of them.
   */
  static Set<String> notRestarted(Handle handle, LockTable table) {
    String[] holds =
        table.locks().values().stream()
            .filter(lock -> lock.kind() == LockRecord.Kind.FLEETLOCK)
            .map(LockRecord::id)
            .toArray(String[]::new);
    return holds.length == 0
        ? Set.of()
        : handle
            .createQuery(
                """
                SELECT asked.host FROM fleetlock_boots asked JOIN hosts h ON h.name = asked.host
                WHERE asked.ticket = ANY (:holds) AND asked.boot_id IS NOT NULL
                  AND NOT (h.boot_first > asked.mark AND (asked.told OR h.boot_before > asked.mark))
                """)
            .bind("holds", holds)
            .mapTo(String.class)
            .set();
  }

  private static Map<String, SourceReport> reports(Handle handle) {
    Map<String, SourceReport> reports = new HashMap<>();
    handle
        .createQuery(
            """
            SELECT s.source, s.last_mark, m.issued_at,
                   s.last_mark >= (SELECT ages_known_from()) AS age_known
            FROM sources s JOIN marks m ON m.mark = s.last_mark
            """)
        .map(
            (row, _) ->
                reports.put(
                    row.getString("source"),
                    new SourceReport(
                        row.getLong("last_mark"),
                        row.getTimestamp("issued_at").toInstant(),
                        row.getBoolean("age_known"))))
        .list();
    return reports;
  }
}
