package dev.drydock.orchestrator.inventory;

import dev.drydock.api.ErrorDetail;
import dev.drydock.api.HostReport;
import dev.drydock.api.InstanceReport;
import dev.drydock.api.InventoryReport;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.store.Notifications;
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
 * Writes what was observed, and what Drydock itself did to hosts. Every method runs in the caller's
 * transaction; the ones other rooms use take the inventory's lock first, so call them before
 * changing hosts by other means.
 *
 * <p>Properties: an observation never replaces one with a higher mark; its time is never later than
 * its mark was issued.
 */
public final class Observations {
  /**
   * A source silent for longer wakes the grantor with its next report: its instances may be up
   * again.
   */
  private static final Duration SILENCE = Duration.ofSeconds(5);

  private Observations() {}

  /**
   * Records what a job read from one host, under a mark fetched after the job's effects and before
   * it read. Instances of the host that are not named keep their last observation.
   *
   * @throws ApiException 422 if the mark is unknown or an instance is wrong or not on the host
   */
  public static void ofJob(
      Handle handle, String host, long mark, Collection<InstanceReport> instances) {
    InventoryLock.take(handle);
    Marks.Issued issued =
        Marks.find(handle, mark)
            .orElseThrow(
                () ->
                    ApiException.invalid(
                        "UNKNOWN_MARK",
                        "mark " + mark + " was not issued or is too old: fetch one, then read",
                        List.of()));
    String source = sourceOf(handle, host);
    List<ErrorDetail> faults = new ArrayList<>(ReportCheck.faults(instances));
    Known known =
        Known.read(
            handle, source, List.of(host), instances.stream().map(InstanceReport::getId).toList());
    int index = 0;
    for (InstanceReport instance : instances) {
      String path = "instances[" + index++ + "]";
      if (!instance.getHost().equals(host)) {
        faults.add(ApiException.detail(path + ".host", "the job is about host " + host));
      }
      Known.KnownInstance owned = known.instances().get(instance.getId());
      if (owned != null && !owned.vanished() && !owned.source().equals(source)) {
        String message =
            "instance %s is reported by source %s".formatted(owned.id(), owned.source());
        faults.add(ApiException.detail(path + ".id", message));
      }
    }
    if (!faults.isEmpty()) {
      throw ApiException.invalid(
          "INVALID_OBSERVATION", "the instances read from " + host + " are not valid", faults);
    }
    writeInstances(handle, issued, source, instances);
    Notifications.notify(handle, "grantor");
  }

  /**
   * Remembers that Drydock had an effect on the host that ended before {@code mark} was fetched:
   * older observations no longer count.
   */
  public static void effect(Handle handle, String host, long mark) {
    InventoryLock.take(handle);
    handle
        .createUpdate(
            """
            UPDATE hosts SET effect_mark = GREATEST(effect_mark, :mark) WHERE name = :host
            """)
        .bind("host", host)
        .bind("mark", mark)
        .execute();
  }

  /** Remembers the release verified on the host at the end of an upgrade. */
  public static void upgraded(Handle handle, String host, String release) {
    InventoryLock.take(handle);
    handle
        .createUpdate("UPDATE hosts SET release = :release WHERE name = :host")
        .bind("host", host)
        .bind("release", release)
        .execute();
  }

  private static String sourceOf(Handle handle, String host) {
    return handle
        .createQuery("SELECT source FROM hosts WHERE name = :host")
        .bind("host", host)
        .mapTo(String.class)
        .findOne()
        .orElseThrow(() -> ApiException.notFound("UNKNOWN_HOST", "there is no host named " + host));
  }

  /** The mark of the newest accepted report. */
  static Optional<Marks.Issued> lastMark(Handle handle, String source) {
    return handle
        .createQuery("SELECT last_mark FROM sources WHERE source = :source")
        .bind("source", source)
        .mapTo(Long.class)
        .findOne()
        .flatMap(mark -> Marks.find(handle, mark));
  }

  static void remember(Handle handle, Marks.Issued mark) {
    handle
        .createUpdate(
            """
            INSERT INTO sources (source, last_mark) VALUES (:source, :mark)
            ON CONFLICT (source) DO UPDATE SET last_mark = excluded.last_mark
            """)
        .bind("source", mark.source())
        .bind("mark", mark.mark())
        .execute();
  }

  static void writeHosts(Handle handle, Marks.Issued mark, Collection<HostReport> hosts) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (HostReport host : hosts) {
      Map<String, String> labels = host.getLabels();
      rows.add(
          Map.of(
              "name", host.getName(),
              "address", host.getAddress(),
              "scheduler", host.getScheduler(),
              "hardware_class", host.getHardwareClass(),
              "labels", labels));
    }
    handle
        .createUpdate(
            """
            INSERT INTO hosts AS known
              (name, address, scheduler, hardware_class, labels, source, observed_at)
            SELECT name, address, scheduler, hardware_class, labels, :source,
              CAST(:at AS timestamptz)
            FROM jsonb_to_recordset(CAST(:rows AS jsonb) -> 'rows') AS seen
              (name text, address text, scheduler text, hardware_class text, labels jsonb)
            ORDER BY name
            ON CONFLICT (name) DO UPDATE SET
              address = excluded.address, scheduler = excluded.scheduler,
              hardware_class = excluded.hardware_class, labels = excluded.labels,
              source = excluded.source, observed_at = excluded.observed_at, vanished_at = NULL
            """)
        .bind("rows", Json.writeTree(Map.of("rows", rows)))
        .bind("source", mark.source())
        .bind("at", mark.at().toString())
        .execute();
  }

  static void writeInstances(
      Handle handle, Marks.Issued mark, String source, Collection<InstanceReport> instances) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (InstanceReport instance : instances) {
      rows.add(
          Map.of(
              "id", instance.getId(),
              "application", instance.getApplication(),
              "host", instance.getHost(),
              "zone", instance.getZone(),
              "health", instance.getHealth().name(),
              "detail", instance.getDetail(),
              "observed_at", observedAt(instance, mark).toString()));
    }
    handle
        .createUpdate(
            """
            INSERT INTO instances AS known
              (id, application, host, zone, health, detail, source, mark, observed_at)
            SELECT id, application, host, zone, health, detail, :source, :mark, observed_at
            FROM jsonb_to_recordset(CAST(:rows AS jsonb) -> 'rows') AS seen
              (id text, application text, host text, zone text, health text, detail text,
               observed_at timestamptz)
            ORDER BY id
            ON CONFLICT (id) DO UPDATE SET
              application = excluded.application, host = excluded.host, zone = excluded.zone,
              health = excluded.health, detail = excluded.detail, source = excluded.source,
              mark = excluded.mark, observed_at = excluded.observed_at, vanished_at = NULL
            WHERE known.mark < excluded.mark
            """)
        .bind("rows", Json.writeTree(Map.of("rows", rows)))
        .bind("source", source)
        .bind("mark", mark.mark())
        .execute();
  }

  private static Instant observedAt(InstanceReport instance, Marks.Issued mark) {
    Instant reported = Instant.ofEpochMilli(Math.max(0, instance.getObservedAt()));
    return reported.isBefore(mark.at()) ? reported : mark.at();
  }

  /** Marks what the source had and its full report no longer names; returns how many those are. */
  static int markVanished(Handle handle, Marks.Issued mark, InventoryReport report) {
    int instances =
        handle
            .createUpdate(
                """
                UPDATE instances SET vanished_at = clock_timestamp(), mark = :mark
                WHERE source = :source AND vanished_at IS NULL AND mark < :mark
                  AND NOT id = ANY (:ids)
                """)
            .bind("source", mark.source())
            .bind("mark", mark.mark())
            .bind(
                "ids",
                report.getInstances().stream().map(InstanceReport::getId).toArray(String[]::new))
            .execute();
    int hosts =
        handle
            .createUpdate(
                """
                UPDATE hosts SET vanished_at = clock_timestamp()
                WHERE source = :source AND vanished_at IS NULL AND NOT name = ANY (:names)
                """)
            .bind("source", mark.source())
            .bind(
                "names", report.getHosts().stream().map(HostReport::getName).toArray(String[]::new))
            .execute();
    return instances + hosts;
  }

  /**
   * Whether instances may count as up only since the later mark, though they look as before:
   * because a lock or an effect ended in between, or because the source had been silent.
   */
  static boolean effectBetween(Handle handle, Marks.Issued last, Marks.Issued now) {
    if (last.at().plus(SILENCE).isBefore(now.at())) {
      return true;
    }
    return handle
        .createQuery(
            """
            SELECT EXISTS (SELECT FROM marks
              WHERE mark > :last AND mark <= :now AND source = :server)
            """)
        .bind("last", last.mark())
        .bind("now", now.mark())
        .bind("server", Marks.SERVER)
        .mapTo(Boolean.class)
        .one();
  }
}
