package dev.drydock.orchestrator.watchdog;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * What a host that does not get on costs: how many pending hosts wait for budget that it holds. By
 * the reasons they were last given, so that hosts nobody has looked at yet are not counted.
 */
final class BudgetCost {
  private BudgetCost() {}

  /** Hosts held because too much of an application is down, by application. */
  static Map<String, Integer> read(Handle handle) {
    return handle
        .createQuery(
            """
            SELECT application, count(*) AS hosts
            FROM (SELECT substring(u.reason from 'application ([^ :]+): ') AS application
                  FROM host_upgrades u
                  WHERE u.state = 'Pending' AND u.grant_id IS NULL
                    AND (u.reason LIKE '%; not up: %' OR u.reason LIKE '% in flight; this takes %')) waiting
            WHERE application IS NOT NULL GROUP BY application
            """)
        .reduceRows(
            new HashMap<>(),
            (found, row) -> {
              found.put(
                  row.getColumn("application", String.class),
                  row.getColumn("hosts", Integer.class));
              return found;
            });
  }

  /** Of all that wait those that wait for these. Pure. */
  static Map<String, Integer> of(Map<String, Integer> waiting, Set<String> applications) {
    Map<String, Integer> cost = new HashMap<>(waiting);
    cost.keySet().retainAll(applications);
    return cost;
  }
}
