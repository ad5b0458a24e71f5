package dev.drydock.impact.service;

import dev.drydock.api.ErrorDetail;
import dev.drydock.impact.core.OverruledDrain;
import dev.drydock.impact.core.Policy;
import dev.drydock.impact.policy.PolicyParser.Parsed;
import dev.drydock.platform.http.ApiException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * What a policy says, by its own words, that would have no effect on hosts of the inventory. Safe
 * for use by many threads.
 */
public final class PolicyWarnings {
  private final Jdbi jdbi;
  private final PolicyReader policies;

  PolicyWarnings(Jdbi jdbi, PolicyReader policies) {
    this.jdbi = jdbi;
    this.policies = policies;
  }

  /** Of a policy without faults; a field it leaves out is not warned of. */
  public List<ErrorDetail> of(Parsed parsed) {
    Policy policy = parsed.policy().orElseThrow();
    return jdbi
        .inTransaction(
            handle ->
                OverruledDrain.of(
                    policy, policies.in(handle).policies(), hosts(handle, policy.applications())))
        .stream()
        .filter(warning -> parsed.lines().containsKey("spec." + warning.field()))
        .map(warning -> detail(warning, parsed))
        .toList();
  }

  private static ErrorDetail detail(OverruledDrain warning, Parsed parsed) {
    String path = "spec." + warning.field();
    return ApiException.detail(path, parsed.lines().getOrDefault(path, 1), warning.says());
  }

  /** How many hosts of these applications there are, by all that runs there. */
  private static Map<Set<String>, Integer> hosts(Handle handle, List<String> applications) {
    return handle
        .createQuery(
            """
            SELECT h.applications, count(*) AS hosts
            FROM (SELECT array_agg(DISTINCT application ORDER BY application) AS applications
                  FROM instances
                  WHERE vanished_at IS NULL
                    AND host IN (SELECT host FROM instances
                                 WHERE application = ANY (:applications) AND vanished_at IS NULL)
                  GROUP BY host) h
            GROUP BY h.applications
            """)
        .bindArray("applications", String.class, applications)
        .map((row, _) -> Map.entry(applications(row), row.getInt("hosts")))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private static Set<String> applications(ResultSet row) throws SQLException {
    return Set.of((String[]) row.getArray("applications").getArray());
  }
}
