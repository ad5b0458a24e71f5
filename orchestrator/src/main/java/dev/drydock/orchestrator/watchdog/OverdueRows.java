package dev.drydock.orchestrator.watchdog;

import dev.drydock.api.EventKind;
import dev.drydock.orchestrator.core.watchdog.BudgetCost;
import dev.drydock.orchestrator.core.watchdog.Overdue;
import dev.drydock.orchestrator.core.watchdog.OverdueText;
import dev.drydock.orchestrator.core.watchdog.PhaseAtWork;
import dev.drydock.orchestrator.store.BatchHosts;
import dev.drydock.platform.events.Event;
import java.sql.Timestamp;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** The rows of overdue phases, and what they say elsewhere. The caller holds the grant's lock. */
final class OverdueRows {
  private OverdueRows() {}

  /** A row whose phase was not over when it was last looked at. */
  record Open(String grant, String rollout, String host, String phase, String job, String says) {}

  static List<Open> open(Handle handle) {
    return handle
        .createQuery(
            """
            SELECT o.grant_id, g.rollout, o.host, o.phase, COALESCE(o.job, '') AS job, o.says
            FROM overdue_phases o JOIN grants g ON g.id = o.grant_id
            WHERE o.over_at IS NULL
            """)
        .map(
            (row, _) ->
                new Open(
                    row.getString("grant_id"),
                    row.getString("rollout"),
                    row.getString("host"),
                    row.getString("phase"),
                    row.getString("job"),
                    row.getString("says")))
        .list();
  }

  /** Keeps what was found, shows it on the host, and tells it unless it was told already. */
  static void found(Handle handle, PhaseAtWork phase, Overdue overdue, BudgetCost cost) {
    String says = OverdueText.of(phase, overdue, cost);
    boolean known =
        handle
                .createUpdate(
                    """
                    UPDATE overdue_phases
                    SET says = :says, cost = :cost, cause = :cause, job = :job, began_at = :began
                    WHERE grant_id = :grant AND host = :host AND phase = :phase AND over_at IS NULL
                    """)
                .bind("says", says)
                .bind("cost", cost.hosts())
                .bind("cause", overdue.cause().word())
                .bind("job", phase.job().map(PhaseAtWork.Work::id))
                .bind("began", Timestamp.from(phase.began()))
                .bind("grant", phase.grant())
                .bind("host", phase.host())
                .bind("phase", phase.phase())
                .execute()
            == 1;
    if (!known) {
      insert(handle, phase, overdue, says, cost.hosts());
      Event.ofHost(
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
      Handle handle, PhaseAtWork phase, Overdue overdue, String says, int cost) {
    handle
        .createUpdate(
            """
            INSERT INTO overdue_phases (grant_id, host, phase, job, cause, began_at, says, cost)
            VALUES (:grant, :host, :phase, :job, :cause, :began, :says, :cost)
            ON CONFLICT (grant_id, host, phase) DO UPDATE
            SET job = EXCLUDED.job, cause = EXCLUDED.cause, began_at = EXCLUDED.began_at,
                says = EXCLUDED.says, cost = EXCLUDED.cost, at = EXCLUDED.at, over_at = NULL
            """)
        .bind("grant", phase.grant())
        .bind("host", phase.host())
        .bind("phase", phase.phase())
        .bind("job", phase.job().map(PhaseAtWork.Work::id))
        .bind("cause", overdue.cause().word())
        .bind("began", Timestamp.from(phase.began()))
        .bind("says", says)
        .bind("cost", cost)
        .execute();
  }

  /** The phase has ended: well, which is told, or in a way that is told by itself. */
  static void over(Handle handle, Open row) {
    boolean first =
        handle
                .createUpdate(
                    """
                    UPDATE overdue_phases SET over_at = clock_timestamp()
                    WHERE grant_id = :grant AND host = :host AND phase = :phase AND over_at IS NULL
                    """)
                .bind("grant", row.grant())
                .bind("host", row.host())
                .bind("phase", row.phase())
                .execute()
            == 1;
    if (!first) {
      return;
    }
    handle
        .createUpdate(
            """
            UPDATE host_upgrades SET reason = ''
            WHERE grant_id = :grant AND host = :host AND state = 'InProgress' AND reason = :says
            """)
        .bind("grant", row.grant())
        .bind("host", row.host())
        .bind("says", row.says())
        .execute();
    if (wentOn(handle, row)) {
      Event.ofHost(
              EventKind.PhaseGoesOn,
              row.rollout(),
              row.host(),
              Map.of("grant", row.grant(), "phase", row.phase(), "reason", "it went on"))
          .append(handle);
    }
  }

  /** Whether its job ended well or somebody works on it now, or something followed. */
  private static boolean wentOn(Handle handle, Open row) {
    return handle
        .createQuery(
            """
            SELECT CASE WHEN :job = '' THEN EXISTS (
                          SELECT FROM host_upgrades
                          WHERE grant_id = :grant AND host = :host AND state = 'InProgress')
                        ELSE EXISTS (SELECT FROM jobs WHERE id = :job AND state IN ('Done', 'Claimed')) END
            """)
        .bind("job", row.job())
        .bind("grant", row.grant())
        .bind("host", row.host())
        .mapTo(Boolean.class)
        .one();
  }
}
