package dev.drydock.orchestrator.inventory;

import dev.drydock.api.HostReport;
import dev.drydock.api.InstanceReport;
import dev.drydock.platform.store.Sql;
import java.util.Collection;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * What the inventory held before a report: everything of its source, and whatever of other sources
 * the report names. A report of a host that is written off changes nothing, and does not bring it
 * back; another source may have such a host.
 */
record KnownInventory(Map<String, KnownHost> hosts, Map<String, KnownInstance> instances) {

  /** A stored host, as far as a report can collide with it or change it. */
  record KnownHost(
      String name, String source, String scheduler, boolean vanished, boolean writtenOff) {

    boolean differs(HostReport report) {
      return !writtenOff && (vanished || !scheduler.equals(report.getScheduler()));
    }
  }

  /** A stored instance, as far as a report can collide with it or change it. */
  record KnownInstance(
      String id,
      String source,
      String application,
      String host,
      int capacity,
      String health,
      boolean vanished,
      boolean writtenOff) {

    /** Whether it counts somewhere else, or differently. */
    boolean placedElsewhere(InstanceReport report) {
      boolean moved = !host.equals(report.getHost());
      boolean otherwise =
          vanished
              || !application.equals(report.getApplication())
              || capacity != report.getCapacity();
      return moved || (!writtenOff && otherwise);
    }

    boolean healthDiffers(InstanceReport report) {
      return !writtenOff && !health.equals(report.getHealth().name());
    }
  }

  static KnownInventory read(
      Handle handle, String source, Collection<String> hosts, Collection<String> instances) {
    return new KnownInventory(hosts(handle, source, hosts), instances(handle, source, instances));
  }

  private static Map<String, KnownHost> hosts(
      Handle handle, String source, Collection<String> names) {
    return Sql.list(
            handle,
            KnownHost.class,
            """
            SELECT name, source, scheduler,
              vanished_at IS NOT NULL AS vanished, written_off_at IS NOT NULL AS written_off
            FROM hosts WHERE source = :source OR name = ANY (:names)
            """,
            Map.of("source", source, "names", names))
        .stream()
        .collect(Collectors.toMap(KnownHost::name, Function.identity()));
  }

  private static Map<String, KnownInstance> instances(
      Handle handle, String source, Collection<String> ids) {
    return Sql.list(
            handle,
            KnownInstance.class,
            """
            SELECT i.id, i.source, i.application, i.host, i.capacity, i.health,
              i.vanished_at IS NOT NULL AS vanished, h.written_off_at IS NOT NULL AS written_off
            FROM instances i JOIN hosts h ON h.name = i.host
            WHERE i.source = :source OR i.id = ANY (:ids)
            """,
            Map.of("source", source, "ids", ids))
        .stream()
        .collect(Collectors.toMap(KnownInstance::id, Function.identity()));
  }
}
