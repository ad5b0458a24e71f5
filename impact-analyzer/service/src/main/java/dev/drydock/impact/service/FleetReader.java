package dev.drydock.impact.service;

import dev.drydock.impact.core.Fleet;
import dev.drydock.impact.core.FleetHost;
import dev.drydock.impact.core.Health;
import dev.drydock.impact.core.Instance;
import dev.drydock.impact.core.Outside;
import dev.drydock.impact.core.Policies;
import dev.drydock.impact.core.SourceReport;
import dev.drydock.impact.service.controllers.AskRows;
import dev.drydock.impact.service.gates.GateWatch;
import dev.drydock.lock.core.Ended;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Reads the fleet as of now. Ages are taken by the clock of the database, which also stamps marks
 * and observations.
 *
 * @param reportAgeMax a source whose newest report is older is not believed
 * @param gates what monitoring says of gates
 */
record FleetReader(Duration reportAgeMax, GateWatch gates) {

  /**
   * The fleet in the view of the handle's transaction; {@code table} tells where the last locks
   * ended, {@code policies} which facts their rules need.
   */
  Fleet read(Handle handle, LockTable table, Policies policies) {
    Instant now =
        handle.createQuery("SELECT clock_timestamp()").mapTo(Timestamp.class).one().toInstant();
    return new Fleet(
        now,
        reportAgeMax,
        reports(handle),
        hosts(handle, table, HostLabels.read(handle, policies)),
        instances(handle),
        PastDisruptions.read(handle, table, policies),
        new Outside(gates.readings(policies.gates(), now), AskRows.read(handle, policies)));
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
            SELECT s.source, s.last_mark, m.issued_at
            FROM sources s JOIN marks m ON m.mark = s.last_mark
            """)
        .map(
            (row, _) ->
                reports.put(
                    row.getString("source"),
                    new SourceReport(
                        row.getLong("last_mark"), row.getTimestamp("issued_at").toInstant())))
        .list();
    return reports;
  }

  private static List<FleetHost> hosts(
      Handle handle, LockTable table, Map<String, Map<String, String>> labels) {
    return handle
        .createQuery(
            """
            SELECT name, source, vanished_at IS NOT NULL AS vanished, effect_mark FROM hosts
            """)
        .map(
            (row, _) -> {
              String name = row.getString("name");
              Ended ended = table.ended().get(name);
              LockRecord lock = table.locks().get(name);
              return new FleetHost(
                  name,
                  row.getString("source"),
                  row.getBoolean("vanished"),
                  Math.max(row.getLong("effect_mark"), ended == null ? 0 : ended.mark()),
                  labels.getOrDefault(name, Map.of()),
                  lock != null && lock.kind() == LockRecord.Kind.BATCH);
            })
        .list();
  }

  private static List<Instance> instances(Handle handle) {
    return handle
        .createQuery(
            """
            SELECT id, application, host, zone, capacity, health, mark, observed_at FROM instances
            WHERE vanished_at IS NULL
            """)
        .map((row, _) -> instance(row))
        .list();
  }

  private static Instance instance(ResultSet row) throws SQLException {
    return new Instance(
        row.getString("id"),
        row.getString("application"),
        row.getString("host"),
        row.getString("zone"),
        row.getInt("capacity"),
        health(row.getString("health")),
        row.getLong("mark"),
        row.getTimestamp("observed_at").toInstant(),
        false);
  }

  /** A word this program does not know is no proof of health. */
  private static Health health(String word) {
    return switch (word) {
      case "Healthy" -> Health.HEALTHY;
      case "Unhealthy" -> Health.UNHEALTHY;
      default -> Health.UNKNOWN;
    };
  }
}
