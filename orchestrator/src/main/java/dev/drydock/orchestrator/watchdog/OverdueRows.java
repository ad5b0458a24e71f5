package dev.drydock.orchestrator.watchdog;

import dev.drydock.api.EventKind;
import dev.drydock.orchestrator.core.watchdog.ActivePhase;
import dev.drydock.orchestrator.core.watchdog.BudgetCost;
import dev.drydock.orchestrator.core.watchdog.Overdue;
import dev.drydock.orchestrator.core.watchdog.OverdueText;
import dev.drydock.orchestrator.store.BatchHosts;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.store.Sql;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** The rows of overdue phases, and what they say elsewhere. The caller holds the grant's lock. */
final class OverdueRows {
  private OverdueRows() {}

  /** A row whose phase was not over when it was last looked at. */
  record Open(String grant, String rollout, String host, String phase, String job, String says) {}

  static List<Open> open(Handle handle) {
    return Sql.list(
        handle,
        Open.class,
        """
        SELECT o.grant_id AS "grant", g.rollout, o.host, o.phase, COALESCE(o.job, '') AS job, o.says
        FROM overdue_phases o JOIN grants g ON g.id = o.grant_id
        WHERE o.over_at IS NULL
        """,
        Map.of());
  }

  /** Keeps what was found, shows it on the host, and tells it unless it was told already. */
  static void found(Handle handle, ActivePhase phase, Overdue overdue, BudgetCost cost) {
    String says = OverdueText.of(phase, overdue, cost);
    boolean known =
        Sql.update(
                handle,
                """
                UPDATE overdue_phases
                SET says = :says, cost = :cost, cause = :cause, job = :job, began_at = :began
                WHERE grant_id = :grant AND host = :host AND phase = :phase AND over_at IS NULL
                """,
                Map.of(
                    "says", says,
                    "cost", cost.hosts(),
                    "cause", overdue.cause().word(),
                    "job", phase.job().map(ActivePhase.Work::id),
                    "began", phase.began(),
                    "grant", phase.grant(),
                    "host", phase.host(),
                    "phase", phase.phase()))
            == 1;
    if (!known) {
      insert(handle, phase, overdue, says, cost.hosts());
      NewEvent.ofHost(
              EventKind.PhaseOverdue,
              phase.rollout(),
              phase.host(),
              Map.of(
                  "grant", phase.grant(),
                  "phase", phase.phase(),
                  "cause", overdue.cause().word(),
                  "seconds", phase.took().toSeconds(),
                  "cost", cost.waiting(),
                  "reason", says))
          .append(handle);
    }
    BatchHosts.says(handle, phase.grant(), List.of(phase.host()), says);
  }

  /** One that went on and is found again is told again. */
  private static void insert(
      Handle handle, ActivePhase phase, Overdue overdue, String says, int cost) {
    Sql.update(
        handle,
        """
        INSERT INTO overdue_phases (grant_id, host, phase, job, cause, began_at, says, cost)
        VALUES (:grant, :host, :phase, :job, :cause, :began, :says, :cost)
        ON CONFLICT (grant_id, host, phase) DO UPDATE
        SET job = EXCLUDED.job, cause = EXCLUDED.cause, began_at = EXCLUDED.began_at,
            says = EXCLUDED.says, cost = EXCLUDED.cost, at = EXCLUDED.at, over_at = NULL
        """,
        Map.of(
            "grant", phase.grant(),
            "host", phase.host(),
            "phase", phase.phase(),
            "job", phase.job().map(ActivePhase.Work::id),
            "cause", overdue.cause().word(),
            "began", phase.began(),
            "says", says,
            "cost", cost));
  }

  /** The phase has ended: well, which is told, or in a way that is told by itself. */
  static void over(Handle handle, Open row) {
    boolean first =
        Sql.update(
                handle,
                """
                UPDATE overdue_phases SET over_at = clock_timestamp()
                WHERE grant_id = :grant AND host = :host AND phase = :phase AND over_at IS NULL
                """,
                Map.of("grant", row.grant(), "host", row.host(), "phase", row.phase()))
            == 1;
    if (!first) {
      return;
    }
    Sql.update(
        handle,
        """
        UPDATE host_upgrades SET reason = ''
        WHERE grant_id = :grant AND host = :host AND state = 'InProgress' AND reason = :says
        """,
        Map.of("grant", row.grant(), "host", row.host(), "says", row.says()));
    if (wentOn(handle, row)) {
      NewEvent.ofHost(
              EventKind.PhaseGoesOn,
              row.rollout(),
              row.host(),
              Map.of("grant", row.grant(), "phase", row.phase(), "reason", "it went on"))
          .append(handle);
    }
  }

  /** Whether its job ended well or somebody works on it now, or something followed. */
  private static boolean wentOn(Handle handle, Open row) {
    return Sql.yes(
        handle,
        """
        SELECT CASE WHEN :job = '' THEN EXISTS (
                      SELECT FROM host_upgrades
                      WHERE grant_id = :grant AND host = :host AND state = 'InProgress')
                    ELSE EXISTS (SELECT FROM jobs WHERE id = :job AND state IN ('Done', 'Claimed')) END
        """,
        Map.of("job", row.job(), "grant", row.grant(), "host", row.host()));
  }
}
