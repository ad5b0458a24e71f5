package dev.drydock.orchestrator.activity;

import dev.drydock.orchestrator.batch.PoliciesInForce;
import dev.drydock.orchestrator.core.model.DrainTerms;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** What the policies of what runs on the hosts of a batch say of draining them. */
final class DrainPolicies {
  private DrainPolicies() {}

  /** Of the hosts of a grant, by name. */
  static Map<String, DrainTerms> of(Handle handle, String grant, PoliciesInForce policies) {
    record Host(String name, Set<String> applications) {}
    return handle
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
                new Host(
                    row.getString("host"),
                    Set.copyOf(Arrays.asList((String[]) row.getArray("applications").getArray()))))
        .list()
        .stream()
        .collect(Collectors.toMap(Host::name, host -> policies.drain(host.applications())));
  }
}
