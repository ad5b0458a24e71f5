package dev.drydock.auditor;

import dev.drydock.auditor.core.ApplicationLog;
import dev.drydock.auditor.core.LoggedAdmission;
import dev.drydock.auditor.core.LoggedHostState;
import dev.drydock.auditor.core.LoggedInstanceState;
import dev.drydock.auditor.core.ObservationReport;
import dev.drydock.auditor.core.PolicyVersion;
import dev.drydock.proto.Json;
import java.sql.Array;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * What was observed of the applications of a rollout, one after the other. In the handle's
 * transaction.
 */
final class ObservationRows {
  private final Handle handle;
  private final LogRows rows;

  ObservationRows(Handle handle) {
    this.handle = handle;
    this.rows = new LogRows(handle);
  }

  /** Gives all applications that ever ran on a host of the rollout's grants. */
  void applications(String rollout, Instant createdAt, Consumer<ApplicationLog> look) {
    List<LoggedAdmission> admissions = admissions(rollout);
    Set<String> hosts =
        admissions.stream()
            .flatMap(admission -> admission.hosts().stream())
            .collect(Collectors.toSet());
    List<PolicyVersion> policies = policies();
    Duration oldest =
        policies.stream()
            .map(PolicyVersion::healthAgeMax)
            .max(Duration::compareTo)
            .orElse(Duration.ZERO)
            .plusMinutes(5);
    Instant since =
        handle
            .createQuery("SELECT since FROM observations_kept")
            .mapTo(Timestamp.class)
            .one()
            .toInstant();
    for (String application : applications(hosts)) {
      List<LoggedInstanceState> instances = instances(application);
      Set<String> carrying =
          instances.stream()
              .map(LoggedInstanceState::host)
              .collect(Collectors.toCollection(TreeSet::new));
      Set<String> sources =
          instances.stream().map(LoggedInstanceState::source).collect(Collectors.toSet());
      look.accept(
          new ApplicationLog(
              application,
              instances,
              sightings(sources, createdAt.minus(oldest)),
              hosts(carrying),
              rows.locks(carrying),
              policies,
              admissions.stream()
                  .filter(one -> one.hosts().stream().anyMatch(carrying::contains))
                  .toList(),
              since));
    }
  }

  /** By time. A check that raised the stage of its hold has the revision of that. */
  private List<LoggedAdmission> admissions(String rollout) {
    return handle
        .createQuery(
            """
            SELECT g.id, 'grant' AS what, g.created_at AS at, g.hold_revision AS revision, g.hosts
            FROM grants g WHERE g.rollout = :rollout AND g.state IN ('granted', 'ended')
              -- Whoever brings a quarantined host back takes nothing that was up.
              AND NOT EXISTS (SELECT FROM impounds i
                              JOIN lock_history h ON h.lock_id = i.replaces AND i.host = ANY(h.hosts)
                              WHERE i.lock_id = g.id AND h.what = 'Quarantined')
            UNION ALL
            SELECT g.id, c.kind || ' check ' || c.round, c.decided_at,
              CASE WHEN c.round = (SELECT min(o.round) FROM checks o WHERE o.grant_id = c.grant_id
                                   AND o.kind = c.kind AND o.state = 'Grant')
              THEN (SELECT min(h.revision) FROM lock_history h
                    WHERE h.lock_id = c.grant_id AND h.what = 'Checked'
                      AND h.reason = CASE c.kind WHEN 'confirm' THEN 'confirmed' ELSE c.kind END)
              END, g.hosts
            FROM grants g JOIN checks c ON c.grant_id = g.id
            WHERE g.rollout = :rollout AND c.state = 'Grant'
            ORDER BY at
            """)
        .bind("rollout", rollout)
        .map(
            (row, _) -> {
              long revision = row.getLong("revision");
              return new LoggedAdmission(
                  row.getString("id"),
                  row.getString("what"),
                  row.getTimestamp("at").toInstant(),
                  revision == 0 ? OptionalLong.empty() : OptionalLong.of(revision),
                  List.of((String[]) row.getArray("hosts").getArray()));
            })
        .list();
  }

  private List<String> applications(Collection<String> hosts) {
    return handle
        .createQuery(
            "SELECT DISTINCT application FROM observed_instances WHERE host = ANY(:hosts) ORDER BY 1")
        .bindArray("hosts", String.class, List.copyOf(hosts))
        .mapTo(String.class)
        .list();
  }

  private List<LoggedInstanceState> instances(String application) {
    return handle
        .createQuery(
            """
            SELECT id, at, instance, application, host, zone, capacity, health, vanished, source, mark,
                   observed_at
            FROM observed_instances
            WHERE instance IN (SELECT instance FROM observed_instances WHERE application = :application)
            ORDER BY at, id
            """)
        .bind("application", application)
        .map(
            (row, _) ->
                new LoggedInstanceState(
                    row.getLong("id"),
                    row.getTimestamp("at").toInstant(),
                    row.getString("instance"),
                    row.getString("application"),
                    row.getString("host"),
                    row.getString("zone"),
                    row.getInt("capacity"),
                    row.getString("health"),
                    row.getBoolean("vanished"),
                    row.getString("source"),
                    row.getLong("mark"),
                    row.getTimestamp("observed_at").toInstant()))
        .list();
  }

  private List<ObservationReport> sightings(Collection<String> sources, Instant since) {
    return handle
        .createQuery(
            """
            SELECT source, mark, issued_at, received_at, job IS NULL AS report, instances, oldest_at
            FROM observed_reports WHERE source = ANY(:sources) AND received_at >= :since
            ORDER BY received_at, id
            """)
        .bindArray("sources", String.class, List.copyOf(sources))
        .bind("since", Timestamp.from(since))
        .map(
            (row, _) -> {
              @Nullable Array named = row.getArray("instances");
              Optional<Set<String>> names =
                  named == null
                      ? Optional.empty()
                      : Optional.of(Set.of((String[]) named.getArray()));
              return new ObservationReport(
                  row.getString("source"),
                  row.getLong("mark"),
                  row.getTimestamp("issued_at").toInstant(),
                  row.getTimestamp("received_at").toInstant(),
                  row.getBoolean("report"),
                  names,
                  row.getTimestamp("oldest_at").toInstant());
            })
        .list();
  }

  private List<LoggedHostState> hosts(Collection<String> hosts) {
    return handle
        .createQuery(
            """
            SELECT at, host, labels, effect_mark FROM observed_hosts
            WHERE host = ANY(:hosts) ORDER BY at, id
            """)
        .bindArray("hosts", String.class, List.copyOf(hosts))
        .map(
            (row, _) ->
                new LoggedHostState(
                    row.getTimestamp("at").toInstant(),
                    row.getString("host"),
                    labels(row.getString("labels")),
                    row.getLong("effect_mark")))
        .list();
  }

  private static Map<String, String> labels(String json) {
    return Json.readTree(json).entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, label -> String.valueOf(label.getValue())));
  }

  private List<PolicyVersion> policies() {
    return handle
        .createQuery("SELECT name, version, created_at, yaml FROM policies ORDER BY created_at")
        .map(
            (row, _) ->
                AuditedPolicyParser.read(
                    row.getString("name"),
                    row.getInt("version"),
                    row.getTimestamp("created_at").toInstant(),
                    row.getString("yaml")))
        .list();
  }
}
