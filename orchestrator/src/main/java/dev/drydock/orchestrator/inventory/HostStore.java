package dev.drydock.orchestrator.inventory;

import dev.drydock.api.Host;
import dev.drydock.api.Instance;
import dev.drydock.api.InstanceArray;
import dev.drydock.lock.core.HostDirectory;
import dev.drydock.platform.store.Columns;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.Page;
import dev.drydock.platform.store.PageRequest;
import dev.drydock.platform.store.Sql;
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
public final class HostStore implements HostDirectory {
  /** Steps as the job board writes them; a host is under way in one rollout at most. */
  private static final String PHASE =
      """
      (SELECT CASE WHEN s.step IN ('Cordon', 'Confirm', 'BeforeUndeploy', 'Open', 'Drain') THEN 'Drain'
                   WHEN s.step IN ('AfterUndeploy', 'Update', 'Health', 'BeforeDeploy') THEN 'Upgrade'
                   WHEN s.step IN ('Recover', 'AfterDeploy', 'Uncordon', 'End') THEN 'Recover' END
       FROM host_upgrades u
       CROSS JOIN split_part(COALESCE(u.step, 'Cordon'), ':', 1) AS s(step)
       WHERE u.host = h.name AND u.state = 'InProgress' LIMIT 1)
      """;

  private static final Columns<Host> HOSTS =
      Columns.of(Host.class, "hosts h")
          .named(
              "h",
              "name address scheduler hardwareClass labels source bootId "
                  + "observedAt vanishedAt release")
          .field("writtenOff", "h.written_off_reason")
          .field("phase", PHASE)
          .complete("instances", "lock");

  private static final Columns<Instance> INSTANCES =
      Columns.of(Instance.class, "instances i")
          .named(
              "i",
              "id application host zone health detail observedAt mark vanishedAt " + "capacity")
          .complete();

  private final Jdbi jdbi;

  HostStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** The hosts that exist among {@code names}, by name; their locks are not known here. */
  public Map<String, Host> find(Collection<String> names, FieldMask fieldMask) {
    List<Host> hosts =
        jdbi.inTransaction(
            TransactionIsolationLevel.REPEATABLE_READ,
            handle ->
                withInstances(
                    handle,
                    fieldMask,
                    HOSTS
                        .select(fieldMask.and("name"))
                        .where("h.name = ANY (:names)")
                        .orderBy("h.name")
                        .bind(
                            "names",
                            names.stream().filter(NameRules::isName).toArray(String[]::new))
                        .list(handle)));
    Map<String, Host> byName = new LinkedHashMap<>();
    hosts.forEach(host -> byName.put(host.getName(), host));
    return byName;
  }

  /** One page of all hosts by name, vanished ones included; their locks are not known here. */
  public Page<Host> page(PageRequest pageRequest, FieldMask fieldMask) {
    FieldMask own =
        fieldMask.wants("instances") || fieldMask.wants("lock") ? fieldMask.and("name") : fieldMask;
    return jdbi.inTransaction(
        TransactionIsolationLevel.REPEATABLE_READ,
        handle -> {
          Page<Host> page = HOSTS.select(own).orderBy("h.name").page(handle, pageRequest);
          return new Page<>(withInstances(handle, fieldMask, page.elements()), page.total());
        });
  }

  @Override
  public Set<String> unknown(Collection<String> hosts) {
    Set<String> unknown = new TreeSet<>(hosts);
    jdbi.useHandle(
        handle ->
            Sql.texts(
                    handle,
                    "SELECT name FROM hosts WHERE name = ANY (:names)",
                    Map.of("names", hosts.stream().filter(NameRules::isName).toList()))
                .forEach(unknown::remove));
    return unknown;
  }

  @Override
  public Map<String, String> hostsOf(Collection<String> instances) {
    return Sql.byName(
        jdbi,
        String.class,
        "SELECT id, host FROM instances WHERE id = ANY (:ids) ORDER BY id",
        Map.of("ids", instances.stream().filter(NameRules::isInstanceId).toList()));
  }

  @Override
  public Map<String, List<String>> hostsIn(
      Collection<String> zones, Collection<String> applications) {
    return Sql.list(
            jdbi,
            Placed.class,
            """
            SELECT DISTINCT zone, host FROM instances
            WHERE zone = ANY (:zones) AND vanished_at IS NULL
              AND (:all OR application = ANY (:applications))
            ORDER BY zone, host
            """,
            Map.of(
                "zones", zones.stream().filter(NameRules::isName).toList(),
                "all", applications.isEmpty(),
                "applications", applications.stream().filter(NameRules::isName).toList()))
        .stream()
        .collect(
            Collectors.groupingBy(
                Placed::zone, Collectors.mapping(Placed::host, Collectors.toList())));
  }

  /** Where something runs. */
  private record Placed(String zone, String host) {}

  @Override
  public Set<String> notOn(Collection<String> hosts, Collection<String> applications) {
    Set<String> missing = new TreeSet<>(applications);
    jdbi.useHandle(
        handle ->
            Sql.texts(
                    handle,
                    """
                    SELECT DISTINCT application FROM instances
                    WHERE host = ANY (:hosts) AND vanished_at IS NULL
                    """,
                    Map.of("hosts", hosts))
                .forEach(missing::remove));
    return missing;
  }

  /**
   * A host of that name comes before one with the label, and one that is still there before any
   * that vanished: a machine that was renamed is the one it is now.
   */
  @Override
  public List<String> hostsOfFleetLock(String id) {
    for (String there : List.of("vanished_at IS NULL AND ", "")) {
      for (String which : List.of("name = :id", "labels ->> 'fleetlock-id' = :id")) {
        List<String> found = named(there + which, id);
        if (!found.isEmpty()) {
          return found;
        }
      }
    }
    return List.of();
  }

  private List<String> named(String condition, String id) {
    return Sql.texts(
        jdbi,
        "SELECT name FROM hosts WHERE " + condition + " ORDER BY name LIMIT 3",
        Map.of("id", id));
  }

  /** All instances ever reported on a host and not elsewhere since; vanished ones say so. */
  private static List<Host> withInstances(Handle handle, FieldMask fieldMask, List<Host> hosts) {
    if (fieldMask.wants("instances")) {
      Map<String, List<Instance>> instances =
          INSTANCES
              .select(fieldMask.within("instances").and("host"))
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
