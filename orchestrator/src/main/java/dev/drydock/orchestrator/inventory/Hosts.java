package dev.drydock.orchestrator.inventory;

import dev.drydock.api.Host;
import dev.drydock.api.Instance;
import dev.drydock.api.InstanceArray;
import dev.drydock.lock.core.HostDirectory;
import dev.drydock.platform.store.Columns;
import dev.drydock.platform.store.Fields;
import dev.drydock.platform.store.Page;
import dev.drydock.platform.store.Window;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;

/**
 * Reads the hosts of the inventory. Each answer is one consistent view. Safe for use by many
 * threads.
 */
public final class Hosts implements HostDirectory {
  /** Steps as the job board writes them; a host is under way in one rollout at most. */
  private static final String PHASE =
      """
      (SELECT CASE WHEN s.step IN ('Freeze', 'Confirm', 'BeforeUndeploy', 'Open', 'Drain') THEN 'Drain'
                   WHEN s.step IN ('AfterUndeploy', 'Update', 'Health', 'BeforeDeploy') THEN 'Upgrade'
                   WHEN s.step IN ('Recover', 'AfterDeploy', 'Unfreeze', 'End') THEN 'Recover' END
       FROM host_upgrades u
       CROSS JOIN split_part(COALESCE(u.step, 'Freeze'), ':', 1) AS s(step)
       WHERE u.host = h.name AND u.state = 'InProgress' LIMIT 1)
      """;

  private static final Columns<Host> HOSTS =
      Columns.of(Host.class, "hosts h")
          .field("name", "h.name")
          .field("address", "h.address")
          .field("scheduler", "h.scheduler")
          .field("hardwareClass", "h.hardware_class")
          .field("labels", "h.labels")
          .field("source", "h.source")
          .field("bootId", "h.boot_id")
          .field("observedAt", "h.observed_at")
          .field("vanishedAt", "h.vanished_at")
          .field("release", "h.release")
          .field("phase", PHASE)
          .complete("instances", "lock");

  private static final Columns<Instance> INSTANCES =
      Columns.of(Instance.class, "instances i")
          .field("id", "i.id")
          .field("application", "i.application")
          .field("host", "i.host")
          .field("zone", "i.zone")
          .field("health", "i.health")
          .field("detail", "i.detail")
          .field("observedAt", "i.observed_at")
          .field("mark", "i.mark")
          .field("vanishedAt", "i.vanished_at")
          .field("capacity", "i.capacity")
          .complete();

  private final Jdbi jdbi;

  Hosts(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** The hosts that exist among {@code names}, by name; their locks are not known here. */
  public Map<String, Host> find(Collection<String> names, Fields fields) {
    List<Host> hosts =
        jdbi.inTransaction(
            TransactionIsolationLevel.REPEATABLE_READ,
            handle ->
                withInstances(
                    handle,
                    fields,
                    HOSTS
                        .select(fields.and("name"))
                        .where("h.name = ANY (:names)")
                        .orderBy("h.name")
                        .bind("names", names.stream().filter(Names::isName).toArray(String[]::new))
                        .list(handle)));
    Map<String, Host> byName = new LinkedHashMap<>();
    hosts.forEach(host -> byName.put(host.getName(), host));
    return byName;
  }

  /** One page of all hosts by name, vanished ones included; their locks are not known here. */
  public Page<Host> page(Window window, Fields fields) {
    Fields own = fields.wants("instances") || fields.wants("lock") ? fields.and("name") : fields;
    return jdbi.inTransaction(
        TransactionIsolationLevel.REPEATABLE_READ,
        handle -> {
          Page<Host> page = HOSTS.select(own).orderBy("h.name").page(handle, window);
          return new Page<>(withInstances(handle, fields, page.elements()), page.total());
        });
  }

  @Override
  public Set<String> unknown(Collection<String> hosts) {
    Set<String> unknown = new TreeSet<>(hosts);
    jdbi.useHandle(
        handle ->
            handle
                .createQuery("SELECT name FROM hosts WHERE name = ANY (:names)")
                .bind("names", hosts.stream().filter(Names::isName).toArray(String[]::new))
                .mapTo(String.class)
                .forEach(unknown::remove));
    return unknown;
  }

  @Override
  public Map<String, String> hostsOf(Collection<String> instances) {
    Map<String, String> homes = new LinkedHashMap<>();
    jdbi.useHandle(
        handle ->
            handle
                .createQuery("SELECT id, host FROM instances WHERE id = ANY (:ids) ORDER BY id")
                .bind("ids", instances.stream().filter(Names::isInstanceId).toArray(String[]::new))
                .map((row, _) -> Map.entry(row.getString("id"), row.getString("host")))
                .forEach(home -> homes.put(home.getKey(), home.getValue())));
    return homes;
  }

  @Override
  public Map<String, List<String>> hostsIn(
      Collection<String> zones, Collection<String> applications) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT DISTINCT zone, host FROM instances
                    WHERE zone = ANY (:zones) AND vanished_at IS NULL
                      AND (:all OR application = ANY (:applications))
                    ORDER BY zone, host
                    """)
                .bind("zones", zones.stream().filter(Names::isName).toArray(String[]::new))
                .bind("all", applications.isEmpty())
                .bind(
                    "applications",
                    applications.stream().filter(Names::isName).toArray(String[]::new))
                .map((row, _) -> Map.entry(row.getString("zone"), row.getString("host")))
                .collect(
                    Collectors.groupingBy(
                        Map.Entry::getKey,
                        Collectors.mapping(Map.Entry::getValue, Collectors.toList()))));
  }

  @Override
  public Set<String> notOn(Collection<String> hosts, Collection<String> applications) {
    Set<String> missing = new TreeSet<>(applications);
    jdbi.useHandle(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT DISTINCT application FROM instances
                    WHERE host = ANY (:hosts) AND vanished_at IS NULL
                    """)
                .bind("hosts", hosts.toArray(new String[0]))
                .mapTo(String.class)
                .forEach(missing::remove));
    return missing;
  }

  /** A host of that name comes before one with the label. */
  @Override
  public List<String> hostsOfFleetLock(String id) {
    List<String> named = named("name = :id", id);
    return named.isEmpty() ? named("labels ->> 'fleetlock-id' = :id", id) : named;
  }

  private List<String> named(String condition, String id) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT name FROM hosts WHERE " + condition + " ORDER BY name LIMIT 3")
                .bind("id", id)
                .mapTo(String.class)
                .list());
  }

  /** All instances ever reported on a host and not elsewhere since; vanished ones say so. */
  private static List<Host> withInstances(Handle handle, Fields fields, List<Host> hosts) {
    if (fields.wants("instances")) {
      Map<String, List<Instance>> instances =
          INSTANCES
              .select(fields.within("instances").and("host"))
              .where("i.host = ANY (:hosts)")
              .orderBy("i.id")
              .bind("hosts", hosts.stream().map(Host::getName).toArray(String[]::new))
              .list(handle)
              .stream()
              .collect(Collectors.groupingBy(Instance::getHost));
      hosts.forEach(
          host ->
              host.setInstances(
                  new InstanceArray(instances.getOrDefault(host.getName(), List.of()))));
    }
    return hosts;
  }
}
