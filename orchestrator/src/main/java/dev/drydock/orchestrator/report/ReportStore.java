package dev.drydock.orchestrator.report;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.Rollout;
import dev.drydock.orchestrator.packages.ForeignUpdates;
import dev.drydock.orchestrator.report.ReportContents.Incomplete;
import dev.drydock.orchestrator.report.ReportContents.Span;
import dev.drydock.orchestrator.store.RolloutStore;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.proto.Json;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;

/**
 * Draws up the report of a rollout. PostgreSQL counts: what comes here is one row per way a package
 * went, not per host. Hosts with the same lists before and after are counted as one. Safe for use
 * by many threads.
 */
public final class ReportStore {
  private static final int ROWS_AT_ONCE = 1_000;

  /** Every host of the rollout; of a complete one nothing is missing. */
  private static final String HOSTS =
      """
      WITH known AS (
        SELECT u.host, u.state, b.packages AS before, a.packages AS after,
               a.facts->>'osFamily' AS family,
               b.facts->>'kernel' AS kernel_before, a.facts->>'kernel' AS kernel_after,
               b.facts->>'osRelease' AS release_before, a.facts->>'osRelease' AS release_after,
               CASE WHEN u.state = 'Reverted' AND starts_with(u.reason, 'not touched: ') THEN u.reason
                    WHEN b.host IS NULL AND a.host IS NULL THEN 'its packages were never told'
                    WHEN b.host IS NULL THEN 'its packages before the update were not told'
                    WHEN b.fault <> '' THEN 'before the update: ' || b.fault
                    WHEN a.host IS NULL THEN 'its packages after the update were not told'
                    WHEN a.fault <> '' THEN 'after the update: ' || a.fault
                    ELSE '' END AS missing
        FROM host_upgrades u
        LEFT JOIN host_facts b ON b.rollout = u.rollout AND b.host = u.host AND b.moment = 'before'
        LEFT JOIN host_facts a ON a.rollout = u.rollout AND a.host = u.host AND a.moment = 'after'
        WHERE u.rollout = :rollout)
      """;

  private final Jdbi jdbi;

  public ReportStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * The report, if there is such a rollout.
   *
   * @param all whether packages that changed nowhere are listed too
   * @param osv advisories in OSV JSON
   * @throws dev.drydock.proto.InvalidRecordException if the advisories cannot be used
   */
  public Optional<ReportContents> draw(String rollout, boolean all, Optional<String> osv) {
    List<Advisory> advisories = osv.map(OsvFile::read).orElse(List.of());
    return jdbi.inTransaction(
        TransactionIsolationLevel.REPEATABLE_READ,
        handle ->
            RolloutStore.find(handle, rollout, FieldMask.all())
                .map(row -> draw(handle, row, all, advisories)));
  }

  private static ReportContents draw(
      Handle handle, Rollout rollout, boolean all, List<Advisory> advisories) {
    List<Incomplete> incomplete = incomplete(handle, rollout.getId());
    int unknown = incomplete.stream().mapToInt(group -> group.hosts().size()).sum();
    PackageTally packages = packages(handle, rollout.getId(), all);
    return new ReportContents(
        rollout,
        span(handle, rollout.getId()),
        rollout.getHostCount() - unknown,
        incomplete,
        ForeignUpdates.ofRollout(handle, rollout.getId()),
        kernels(handle, rollout.getId()),
        packages.totals(),
        packages.lines(),
        packages.leftOut(),
        advisories.isEmpty()
            ? List.of()
            : cves(handle, rollout.getId(), new CveTally(advisories), unknown));
  }

  private static Span span(Handle handle, String rollout) {
    return handle
        .createQuery(
            """
            SELECT clock_timestamp() AS at, min(started_at) AS started, max(ended_at) AS ended
            FROM host_upgrades WHERE rollout = :rollout
            """)
        .bind("rollout", rollout)
        .map(
            (row, context) ->
                new Span(
                    row.getTimestamp("at").toInstant(),
                    Optional.ofNullable(row.getTimestamp("started")).map(Timestamp::toInstant),
                    Optional.ofNullable(row.getTimestamp("ended")).map(Timestamp::toInstant)))
        .one();
  }

  private static List<Incomplete> incomplete(Handle handle, String rollout) {
    return query(
            handle,
            rollout,
            """
            SELECT state, missing, array_agg(host ORDER BY host) AS hosts FROM known
            WHERE missing <> '' GROUP BY state, missing ORDER BY state, missing
            """)
        .map(
            (row, context) ->
                new Incomplete(
                    HostUpgradeState.valueOf(row.getString("state")),
                    row.getString("missing"),
                    texts(row, "hosts")))
        .list();
  }

  private static List<VersionTransition> kernels(Handle handle, String rollout) {
    return query(
            handle,
            rollout,
            """
            SELECT family, kernel_before AS "from", kernel_after AS "to", count(*) AS hosts
            FROM known WHERE missing = '' GROUP BY 1, 2, 3
            """)
        .map((row, context) -> way(row))
        .stream()
        .sorted(VersionTransition.MOST_FREQUENT_FIRST)
        .toList();
  }

  private static PackageTally packages(Handle handle, String rollout, boolean all) {
    PackageTally tally = new PackageTally(all, PackageTally.WAYS_MAX);
    try (Stream<Runnable> rows =
        query(
            handle,
            rollout,
            """
            , pairs AS (
              SELECT family, before, after, count(*) AS hosts
              FROM known WHERE missing = '' GROUP BY 1, 2, 3)
            SELECT p.family, w.name, w."from", w."to", sum(p.hosts) AS hosts
            FROM pairs p
            JOIN package_lists b ON b.digest = p.before
            JOIN package_lists a ON a.digest = p.after
            CROSS JOIN LATERAL (
              SELECT COALESCE(x.key, y.key) AS name, x.value AS "from", y.value AS "to"
              FROM jsonb_each_text(b.packages) x
              FULL JOIN jsonb_each_text(a.packages) y ON x.key = y.key) w
            GROUP BY 1, 2, 3, 4 ORDER BY 1, 2
            """)
            .setFetchSize(ROWS_AT_ONCE)
            .map(
                (row, context) -> {
                  String name = row.getString("name");
                  PackageFamily packageFamily = family(row);
                  VersionTransition versionTransition = way(row);
                  return (Runnable) () -> tally.add(packageFamily, name, versionTransition);
                })
            .stream()) {
      rows.forEach(Runnable::run);
    }
    return tally.done();
  }

  private static List<ReportContents.CveLine> cves(
      Handle handle, String rollout, CveTally tally, int unknown) {
    try (Stream<CveTally.Group> groups =
        query(
            handle,
            rollout,
            """
            , groups AS MATERIALIZED (
              SELECT family, release_before, release_after, before, after, count(*) AS hosts,
                     trim_array(array_agg(host ORDER BY host),
                                GREATEST(CAST(count(*) AS int) - :namesMax, 0)) AS names
              FROM known WHERE missing = '' GROUP BY 1, 2, 3, 4, 5),
            slim AS MATERIALIZED (
              SELECT l.digest, COALESCE(
                (SELECT jsonb_object_agg(key, value) FROM jsonb_each_text(l.packages)
                 WHERE key = ANY (:names)), '{}') AS packages
              FROM package_lists l
              WHERE l.digest IN (SELECT before FROM groups UNION SELECT after FROM groups))
            SELECT g.family, g.release_before, g.release_after, g.hosts, g.names,
                   b.packages AS before, a.packages AS after
            FROM groups g
            JOIN slim b ON b.digest = g.before
            JOIN slim a ON a.digest = g.after
            """)
            .bind("namesMax", CveTally.OPEN_HOSTS_MAX)
            .bindArray("names", String.class, tally.packages())
            .setFetchSize(ROWS_AT_ONCE)
            .map(
                (row, context) ->
                    new CveTally.Group(
                        host(row, "release_before", "before"),
                        host(row, "release_after", "after"),
                        row.getInt("hosts"),
                        texts(row, "names")))
            .stream()) {
      groups.forEach(tally::add);
    }
    return tally.lines(unknown);
  }

  private static Query query(Handle handle, String rollout, String sql) {
    return handle.createQuery(HOSTS + sql).bind("rollout", rollout);
  }

  private static PackageFamily family(ResultSet row) throws SQLException {
    return PackageFamily.of(row.getString("family")).orElseThrow();
  }

  private static VersionTransition way(ResultSet row) throws SQLException {
    return VersionTransition.of(
        family(row),
        Optional.ofNullable(row.getString("from")),
        Optional.ofNullable(row.getString("to")),
        row.getInt("hosts"));
  }

  private static CveTally.Host host(ResultSet row, String release, String packages)
      throws SQLException {
    Map<String, String> versions = new HashMap<>();
    Json.readTree(row.getString(packages))
        .forEach((name, version) -> versions.put(name, String.valueOf(version)));
    return new CveTally.Host(family(row), Optional.ofNullable(row.getString(release)), versions);
  }

  private static List<String> texts(ResultSet row, String column) throws SQLException {
    return List.of((String[]) row.getArray(column).getArray());
  }
}
