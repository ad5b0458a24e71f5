package dev.drydock.impact.service;

import dev.drydock.api.ErrorDetail;
import dev.drydock.impact.core.CapacityRule;
import dev.drydock.impact.core.OverruledDrain;
import dev.drydock.impact.core.Policy;
import dev.drydock.impact.policy.PolicyParser.Parsed;
import dev.drydock.impact.policy.SpellingSuggestion;
import dev.drydock.platform.http.ApiException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * What a policy says that is hardly meant: by its own words, or as it would have no effect on the
 * hosts of the inventory or keep them from ever being upgraded. It is in force all the same. Safe
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
    List<ErrorDetail> warnings = new ArrayList<>();
    parsed
        .doubts()
        .forEach(
            doubt ->
                warnings.add(ApiException.detail(doubt.path(), doubt.line(), doubt.message())));
    jdbi.useTransaction(
        handle -> {
          warnings.addAll(instances(handle, policy, parsed));
          OverruledDrain.of(
                  policy, policies.in(handle).policies(), hosts(handle, policy.applications()))
              .stream()
              .filter(warning -> parsed.lines().containsKey("spec." + warning.field()))
              .map(warning -> detail("spec." + warning.field(), warning.says(), parsed))
              .forEach(warnings::add);
        });
    return warnings;
  }

  private static ErrorDetail detail(String path, String says, Parsed parsed) {
    return ApiException.detail(path, parsed.lines().getOrDefault(path, 1), says);
  }

  /** Applications that nobody has, and rules by which not one of their instances may go down. */
  private static List<ErrorDetail> instances(Handle handle, Policy policy, Parsed parsed) {
    Map<String, Integer> counts = counts(handle);
    List<ErrorDetail> warnings = new ArrayList<>();
    for (int i = 0; i < policy.applications().size(); i++) {
      String application = policy.applications().get(i);
      if (!counts.containsKey(application)) {
        String path = "spec.applications[" + i + "]";
        String says =
            "no host has an instance of %s%s"
                .formatted(
                    application,
                    SpellingSuggestion.nearest(application, counts.keySet())
                        .map(": did you mean %s?"::formatted)
                        .orElse(": the policy says nothing about it until one has"));
        warnings.add(detail(path, says, parsed));
      }
    }
    for (int i = 0; i < policy.rules().size(); i++) {
      if (policy.rules().get(i) instanceof CapacityRule rule) {
        String path = "spec.capacity[%d].%s".formatted(i, rule.toString().replaceFirst(" .*", ""));
        if (parsed.doubts().stream().noneMatch(doubt -> doubt.path().equals(path))) {
          spares(policy, rule, counts).forEach(says -> warnings.add(detail(path, says, parsed)));
        }
      }
    }
    return warnings;
  }

  private static List<String> spares(
      Policy policy, CapacityRule rule, Map<String, Integer> counts) {
    List<String> all = new ArrayList<>();
    for (String application : policy.applications()) {
      int allocated = counts.getOrDefault(application, 0);
      int desired = policy.desired().instances(allocated);
      if (allocated > 0 && Math.max(desired, allocated) <= rule.required(desired)) {
        all.add(
            "%s needs %d of the %d instance%s of %s: their hosts are never upgraded"
                .formatted(
                    rule,
                    rule.required(desired),
                    allocated,
                    allocated == 1 ? "" : "s",
                    application));
      }
    }
    return all;
  }

  /** How many instances of each application there are. */
  private static Map<String, Integer> counts(Handle handle) {
    return handle
        .createQuery(
            """
            SELECT application, count(*) AS instances FROM instances
            WHERE vanished_at IS NULL GROUP BY application
            """)
        .map((row, _) -> Map.entry(row.getString("application"), row.getInt("instances")))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
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
