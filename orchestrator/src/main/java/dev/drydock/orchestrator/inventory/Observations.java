package dev.drydock.orchestrator.inventory;

import dev.drydock.api.HostReport;
import dev.drydock.api.InstanceReport;
import dev.drydock.api.InventoryReport;
import dev.drydock.platform.store.Sql;
import dev.drydock.proto.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Writes what a source observed, within the transaction of its report.
 *
 * <p>Properties: an observation never replaces one with a higher mark; its time is never later than
 * its mark was issued; a host that is written off stays vanished, and so does what runs on it.
 */
final class Observations {
  /**
   * A source silent for longer wakes the grantor with its next report: its instances may be up
   * again.
   */
  private static final Duration SILENCE = Duration.ofSeconds(5);

  private Observations() {}

  /**
   * Writes everything the report names and, when it is full, marks what its source had and it no
   * longer names; returns how many of those there are.
   */
  static int write(Handle handle, MarkIssuer.Issued mark, InventoryReport report) {
    // Instances before hosts, as the ends of jobs write them: the other order would dead-lock with
    // those.
    String hosts = hostRows(report.getHosts());
    writeHosts(handle, mark, hosts, "DO NOTHING");
    writeInstances(handle, mark, report.getInstances());
    int vanished = report.isFull() ? vanishInstances(handle, mark, report) : 0;
    writeHosts(
        handle,
        mark,
        hosts,
        """
        DO UPDATE SET
          address = excluded.address, scheduler = excluded.scheduler,
          hardware_class = excluded.hardware_class, labels = excluded.labels,
          boot_id = COALESCE(excluded.boot_id, known.boot_id),
          boot_first = CASE WHEN excluded.boot_id IS DISTINCT FROM known.boot_id
              AND excluded.boot_told THEN excluded.boot_first ELSE known.boot_first END,
          boot_before = CASE WHEN excluded.boot_id IS DISTINCT FROM known.boot_id
              AND excluded.boot_told THEN known.boot_last ELSE known.boot_before END,
          boot_last = GREATEST(excluded.boot_last, known.boot_last),
          boot_told = excluded.boot_told,
          source = excluded.source, observed_at = excluded.observed_at,
          vanished_at = CASE WHEN known.written_off_at IS NOT NULL
              THEN COALESCE(known.vanished_at, known.written_off_at) END
        """);
    return report.isFull() ? vanished + vanishHosts(handle, mark, report) : 0;
  }

  private static String hostRows(Collection<HostReport> hosts) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (HostReport host : hosts) {
      Map<String, String> labels = host.getLabels();
      rows.add(
          Map.of(
              "name", host.getName(),
              "address", host.getAddress(),
              "scheduler", host.getScheduler(),
              "hardware_class", host.getHardwareClass(),
              "labels", labels,
              "boot_id", Optional.ofNullable(host.getBootId()).orElse("")));
    }
    return Json.writeTree(Map.of("rows", rows));
  }

  private static void writeHosts(
      Handle handle, MarkIssuer.Issued mark, String rows, String whenKnown) {
    Sql.update(
        handle,
        """
        INSERT INTO hosts AS known
          (name, address, scheduler, hardware_class, labels, boot_id, boot_told, boot_first,
           boot_last, source, observed_at)
        SELECT name, address, scheduler, hardware_class, labels, NULLIF(boot_id, ''),
          boot_id <> '', CASE boot_id WHEN '' THEN 0 ELSE :mark END,
          CASE boot_id WHEN '' THEN 0 ELSE :mark END, :source, CAST(:at AS timestamptz)
        FROM jsonb_to_recordset(CAST(:rows AS jsonb) -> 'rows') AS seen
          (name text, address text, scheduler text, hardware_class text, labels jsonb,
           boot_id text)
        ORDER BY name
        ON CONFLICT (name)
        """
            + whenKnown,
        Map.of(
            "rows", rows,
            "mark", mark.mark(),
            "source", mark.source(),
            "at", mark.at().toString()));
  }

  private static void writeInstances(
      Handle handle, MarkIssuer.Issued mark, Collection<InstanceReport> instances) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (InstanceReport instance : instances) {
      rows.add(
          Map.of(
              "id", instance.getId(),
              "application", instance.getApplication(),
              "host", instance.getHost(),
              "zone", instance.getZone(),
              "capacity", instance.getCapacity(),
              "health", instance.getHealth().name(),
              "detail", instance.getDetail(),
              "observed_at", observedAt(instance, mark).toString()));
    }
    Sql.update(
        handle,
        """
        INSERT INTO instances AS known
          (id, application, host, zone, capacity, health, detail, source, mark, observed_at,
           vanished_at)
        SELECT id, application, host, zone, capacity, health, detail, :source, :mark, observed_at,
          -- What runs on a host that is written off counts for nobody.
          (SELECT h.written_off_at FROM hosts h WHERE h.name = seen.host)
        FROM jsonb_to_recordset(CAST(:rows AS jsonb) -> 'rows') AS seen
          (id text, application text, host text, zone text, capacity int, health text, detail text,
           observed_at timestamptz)
        ORDER BY id
        ON CONFLICT (id) DO UPDATE SET
          application = excluded.application, host = excluded.host, zone = excluded.zone,
          capacity = excluded.capacity,
          health = excluded.health, detail = excluded.detail, source = excluded.source,
          mark = excluded.mark, observed_at = excluded.observed_at,
          vanished_at = excluded.vanished_at
        WHERE known.mark < excluded.mark
        """,
        Map.of(
            "rows", Json.writeTree(Map.of("rows", rows)),
            "source", mark.source(),
            "mark", mark.mark()));
  }

  /** The older of the reporter's time and the time its mark was issued. */
  static Instant observedAt(InstanceReport instance, MarkIssuer.Issued mark) {
    Instant reported = Instant.ofEpochMilli(Math.max(0, instance.getObservedAt()));
    return reported.isBefore(mark.at()) ? reported : mark.at();
  }

  private static int vanishInstances(
      Handle handle, MarkIssuer.Issued mark, InventoryReport report) {
    return Sql.update(
        handle,
        """
        UPDATE instances SET vanished_at = clock_timestamp(), mark = :mark
        WHERE source = :source AND vanished_at IS NULL AND mark < :mark
          AND NOT id = ANY (:ids)
        """,
        Map.of(
            "source", mark.source(),
            "mark", mark.mark(),
            "ids", report.getInstances().stream().map(InstanceReport::getId).toList()));
  }

  private static int vanishHosts(Handle handle, MarkIssuer.Issued mark, InventoryReport report) {
    return Sql.update(
        handle,
        """
        UPDATE hosts SET vanished_at = clock_timestamp()
        WHERE source = :source AND vanished_at IS NULL AND NOT name = ANY (:names)
        """,
        Map.of(
            "source", mark.source(),
            "names", report.getHosts().stream().map(HostReport::getName).toList()));
  }

  /** The mark of the newest accepted report. */
  static Optional<MarkIssuer.Issued> lastMark(Handle handle, String source) {
    return Sql.find(
            handle,
            Long.class,
            "SELECT last_mark FROM sources WHERE source = :source",
            Map.of("source", source))
        .flatMap(mark -> MarkIssuer.find(handle, mark));
  }

  /** Makes the mark the newest of its source. */
  static void remember(Handle handle, MarkIssuer.Issued mark) {
    Sql.update(
        handle,
        """
        INSERT INTO sources (source, last_mark) VALUES (:source, :mark)
        ON CONFLICT (source) DO UPDATE SET last_mark = excluded.last_mark
        """,
        Map.of("source", mark.source(), "mark", mark.mark()));
  }

  /**
   * Whether instances may count as up only since the later mark, though they look as before:
   * because a lock or an effect ended in between, or because the source had been silent, or nobody
   * knows for how long, as the clock was set back.
   */
  static boolean effectBetween(Handle handle, MarkIssuer.Issued last, MarkIssuer.Issued now) {
    if (last.at().plus(SILENCE).isBefore(now.at()) || last.at().isAfter(now.at())) {
      return true;
    }
    return Sql.yes(
        handle,
        """
        SELECT EXISTS (SELECT FROM marks
          WHERE mark > :last AND mark <= :now AND source = :server)
        """,
        Map.of("last", last.mark(), "now", now.mark(), "server", MarkIssuer.SERVER));
  }
}
