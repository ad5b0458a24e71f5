package dev.drydock.orchestrator.inventory;

import dev.drydock.api.HostReport;
import dev.drydock.api.InstanceReport;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * What the inventory held before a report: everything of its source, and whatever of other sources
 * the report names.
 */
record Known(Map<String, KnownHost> hosts, Map<String, KnownInstance> instances) {

  /** A stored host, as far as a report can collide with it or change it. */
  record KnownHost(String name, String source, String scheduler, boolean vanished) {

    boolean differs(HostReport report) {
      return vanished || !scheduler.equals(report.getScheduler());
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
      boolean vanished) {

    /** Whether it counts somewhere else, or differently. */
    boolean placedElsewhere(InstanceReport report) {
      return vanished
          || !application.equals(report.getApplication())
          || !host.equals(report.getHost())
          || capacity != report.getCapacity();
    }

    boolean healthDiffers(InstanceReport report) {
      return !health.equals(report.getHealth().name());
    }
  }

  static Known read(
      Handle handle, String source, Collection<String> hosts, Collection<String> instances) {
    return new Known(hosts(handle, source, hosts), instances(handle, source, instances));
  }

  private static Map<String, KnownHost> hosts(
      Handle handle, String source, Collection<String> names) {
    Map<String, KnownHost> known = new HashMap<>();
    handle
        .createQuery(
            """
            SELECT name, source, scheduler, vanished_at IS NOT NULL AS vanished FROM hosts
            WHERE source = :source OR name = ANY (:names)
            """)
        .bind("source", source)
        .bind("names", names.toArray(new String[0]))
        .map(
            (row, _) ->
                new KnownHost(
                    row.getString("name"),
                    row.getString("source"),
                    row.getString("scheduler"),
                    row.getBoolean("vanished")))
        .forEach(host -> known.put(host.name(), host));
    return known;
  }

  private static Map<String, KnownInstance> instances(
      Handle handle, String source, Collection<String> ids) {
    Map<String, KnownInstance> known = new HashMap<>();
    handle
        .createQuery(
            """
            SELECT id, source, application, host, capacity, health,
              vanished_at IS NOT NULL AS vanished
            FROM instances WHERE source = :source OR id = ANY (:ids)
            """)
        .bind("source", source)
        .bind("ids", ids.toArray(new String[0]))
        .map(
            (row, _) ->
                new KnownInstance(
                    row.getString("id"),
                    row.getString("source"),
                    row.getString("application"),
                    row.getString("host"),
                    row.getInt("capacity"),
                    row.getString("health"),
                    row.getBoolean("vanished")))
        .forEach(instance -> known.put(instance.id(), instance));
    return known;
  }
}
