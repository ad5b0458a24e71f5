package dev.drydock.orchestrator.batch;

import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.Grant;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.RepairLoad;
import dev.drydock.orchestrator.core.remediation.RepairPlanner;
import dev.drydock.orchestrator.core.remediation.RepairStep;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/** Reads the remediations elsewhere that matter to hosts of a batch. */
final class RepairLoads {
  private RepairLoads() {}

  /**
   * Reads them for every host with an open remediation on which something is to be decided. From
   * then on until this transaction ends, no other transaction reads them: it will see what this one
   * does.
   */
  static Map<String, RepairLoad> read(
      Handle handle,
      Grant grant,
      List<Remediation> remediations,
      List<BatchJob> jobs,
      Duration coolDown) {
    Map<String, String> signatures = signatures(remediations, jobs);
    if (signatures.isEmpty()) {
      return Map.of();
    }
    // A statement of its own: the next one has to see what the last holder of the lock wrote.
    handle.execute("SELECT pg_advisory_xact_lock(hashtext('remediations'))");
    return loads(handle, grant, signatures, coolDown);
  }

  /** What each host was found to have. Nothing is decided while its last action goes on. */
  private static Map<String, String> signatures(
      List<Remediation> remediations, List<BatchJob> jobs) {
    Map<String, BatchJob> byId =
        remediations.stream().anyMatch(Remediation::open)
            ? jobs.stream().collect(Collectors.toMap(BatchJob::id, Function.identity()))
            : Map.of();
    Map<String, String> signatures = new TreeMap<>();
    for (Remediation one : remediations) {
      if (one.open() && !one.taken().isEmpty()) {
        List<RepairStep> taken = RepairStep.of(one, id -> Objects.requireNonNull(byId.get(id)));
        if (taken.getLast().job().ended()) {
          signatures.put(one.host(), RepairPlanner.signature(taken));
        }
      }
    }
    return signatures;
  }

  private static Map<String, RepairLoad> loads(
      Handle handle, Grant grant, Map<String, String> signatures, Duration coolDown) {
    Collection<String> found = signatures.values();
    return handle
        .createQuery(
            """
            SELECT w.host,
              (SELECT count(*) FROM remediations r
               JOIN remediation_steps s USING (grant_id, host, step)
               JOIN jobs j ON j.id = s.job AND j.state IN ('Pending', 'Claimed')
               WHERE r.state = 'Open' AND s.action = ANY(:acts)) AS acting,
              alike.in_vain, alike.helped,
              EXISTS (SELECT FROM remediations r
                      WHERE r.host = w.host AND r.grant_id <> :grant AND r.state = 'Resumed'
                        AND NOT r.went_back
                        AND r.ended_at > clock_timestamp() - make_interval(secs => :coolDown))
                AS recently
            FROM unnest(:hosts, :signatures) AS w(host, signature)
            CROSS JOIN LATERAL (
              -- A host that went back to the release before was not helped with what it has.
              SELECT count(*) FILTER (WHERE r.state = 'Exhausted' OR r.went_back) AS in_vain,
                     count(*) FILTER (WHERE r.state = 'Resumed' AND NOT r.went_back) AS helped
              FROM grants g
              JOIN remediations r ON r.grant_id = g.id
              JOIN hosts h ON h.name = r.host
              WHERE g.rollout = :rollout AND r.host <> w.host AND r.signature = w.signature
                -- Without a ladder nothing was tried that could have helped.
                AND cardinality(r.ladder) > 0
                AND h.hardware_class IS NOT DISTINCT FROM (
                      SELECT hardware_class FROM hosts WHERE name = w.host)) alike
            """)
        .bindArray("acts", String.class, acts())
        .bindArray("hosts", String.class, signatures.keySet())
        .bindArray("signatures", String.class, found)
        .bind("rollout", grant.rollout())
        .bind("grant", grant.id())
        .bind("coolDown", coolDown.toMillis() / 1000.0)
        .map(
            (row, _) ->
                Map.entry(
                    row.getString("host"),
                    new RepairLoad(
                        row.getInt("acting"),
                        row.getInt("in_vain"),
                        row.getInt("helped"),
                        row.getBoolean("recently"))))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private static List<String> acts() {
    return Stream.of(RepairAction.values())
        .filter(RepairAction::acts)
        .map(RepairAction::word)
        .toList();
  }
}
