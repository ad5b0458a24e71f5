package dev.drydock.orchestrator.inventory;

import dev.drydock.lock.core.HostDirectory;
import dev.drydock.orchestrator.inventory.HostRow.InstanceRow;
import dev.drydock.proto.Json;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
  private static final String COLUMNS =
      """
      SELECT name, address, scheduler, hardware_class, labels::text AS labels, source,
        observed_at, vanished_at, release
      FROM hosts
      """;

  private final Jdbi jdbi;

  Hosts(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Some of all hosts, by name.
   *
   * @param total how many there are
   */
  public record Page(List<HostRow> hosts, int total) {
    public Page {
      hosts = List.copyOf(hosts);
    }
  }

  /** The hosts that exist among {@code names}, by name. */
  public Map<String, HostRow> find(Collection<String> names) {
    return jdbi.inTransaction(
        TransactionIsolationLevel.REPEATABLE_READ,
        handle ->
            withInstances(
                handle,
                handle
                    .createQuery(COLUMNS + " WHERE name = ANY (:names) ORDER BY name")
                    .bind("names", names.stream().filter(Names::isName).toArray(String[]::new))
                    .map((row, _) -> host(row))
                    .list()));
  }

  /** One page of all hosts, vanished ones included. */
  public Page page(int start, int count) {
    return jdbi.inTransaction(
        TransactionIsolationLevel.REPEATABLE_READ,
        handle -> {
          List<HostRow> hosts =
              handle
                  .createQuery(COLUMNS + " ORDER BY name LIMIT :count OFFSET :start")
                  .bind("count", count)
                  .bind("start", start)
                  .map((row, _) -> host(row))
                  .list();
          int total = handle.createQuery("SELECT count(*) FROM hosts").mapTo(Integer.class).one();
          return new Page(List.copyOf(withInstances(handle, hosts).values()), total);
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

  private static Map<String, HostRow> withInstances(Handle handle, List<HostRow> hosts) {
    Map<String, List<InstanceRow>> instances =
        handle
            .createQuery("SELECT * FROM instances WHERE host = ANY (:hosts) ORDER BY id")
            .bind("hosts", hosts.stream().map(HostRow::name).toArray(String[]::new))
            .map((row, _) -> instance(row))
            .stream()
            .collect(Collectors.groupingBy(InstanceRow::host));
    Map<String, HostRow> complete = new LinkedHashMap<>();
    hosts.forEach(
        host ->
            complete.put(host.name(), host.with(instances.getOrDefault(host.name(), List.of()))));
    return complete;
  }

  private static HostRow host(ResultSet row) throws SQLException {
    return new HostRow(
        row.getString("name"),
        row.getString("address"),
        row.getString("scheduler"),
        row.getString("hardware_class"),
        Json.readTree(row.getString("labels")).entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, e -> String.valueOf(e.getValue()))),
        row.getString("source"),
        row.getTimestamp("observed_at").toInstant(),
        instant(row, "vanished_at"),
        Optional.ofNullable(row.getString("release")),
        List.of());
  }

  private static InstanceRow instance(ResultSet row) throws SQLException {
    return new InstanceRow(
        row.getString("id"),
        row.getString("application"),
        row.getString("host"),
        row.getString("zone"),
        row.getString("health"),
        row.getString("detail"),
        row.getLong("mark"),
        row.getTimestamp("observed_at").toInstant(),
        instant(row, "vanished_at"));
  }

  private static Optional<Instant> instant(ResultSet row, String column) throws SQLException {
    return Optional.ofNullable(row.getTimestamp(column)).map(Timestamp::toInstant);
  }
}
