package dev.drydock.orchestrator.activity;

import dev.drydock.orchestrator.jobs.DrainTimeouts;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;

/**
 * What the policies of what runs on each host of a batch say of its Drain. To be asked outside of
 * transactions: policies are read over a connection of their own.
 */
final class DrainPolicies {
  private final Jdbi jdbi;
  private final DrainTimeouts policies;

  DrainPolicies(Jdbi jdbi, DrainTimeouts policies) {
    this.jdbi = jdbi;
    this.policies = policies;
  }

  /** By host of the grant. */
  Map<String, DrainTerms> of(String grant) {
    return jdbi
        .withHandle(
            handle ->
                handle
                    .createQuery(
                        """
                        SELECT u.host, array_remove(array_agg(i.application), NULL) AS applications
                        FROM host_upgrades u
                        LEFT JOIN instances i ON i.host = u.host AND i.vanished_at IS NULL
                        WHERE u.grant_id = :grant GROUP BY u.host
                        """)
                    .bind("grant", grant)
                    .map(
                        (row, context) ->
                            Map.entry(
                                row.getString("host"),
                                Set.copyOf(
                                    Arrays.asList(
                                        (String[]) row.getArray("applications").getArray()))))
                    .list())
        .stream()
        .collect(
            Collectors.toMap(
                Map.Entry::getKey,
                host ->
                    new DrainTerms(policies.of(host.getValue()), policies.late(host.getValue()))));
  }
}
