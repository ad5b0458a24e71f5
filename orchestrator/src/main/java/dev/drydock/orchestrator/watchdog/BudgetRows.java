package dev.drydock.orchestrator.watchdog;

import dev.drydock.platform.store.Sql;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Counts pending hosts that wait for budget, by the reasons they were last given. It does not count
 * hosts that were not judged yet.
 */
final class BudgetRows {
  private BudgetRows() {}

  /** Pending hosts that are held because too much of an application is down, by application. */
  static Map<String, Integer> read(Handle handle) {
    return Sql.byName(
        handle,
        Integer.class,
        """
        SELECT application, count(*) AS hosts
        FROM (SELECT substring(u.reason from 'application ([^ :]+): ') AS application
              FROM host_upgrades u
              WHERE u.state = 'Pending' AND u.grant_id IS NULL
                AND (u.reason LIKE '%; not up: %' OR u.reason LIKE '% in flight; this takes %')) waiting
        WHERE application IS NOT NULL GROUP BY application
        """,
        Map.of());
  }
}
