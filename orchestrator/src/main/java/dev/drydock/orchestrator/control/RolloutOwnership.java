package dev.drydock.orchestrator.control;

import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.Sql;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Whose business a rollout is: operators command every one, owners those that touch hosts with
 * applications of their team. What its hosts carried when it was submitted or when they were
 * granted counts as well, because schedulers move instances away before a host goes down.
 */
final class RolloutOwnership {
  private RolloutOwnership() {}

  /**
   * Lets a principal pass who may command the rollout.
   *
   * @param what the command, as a verb
   * @throws ApiException 403 with the team
   */
  static void require(Handle handle, Principal by, String rollout, String what) {
    if (by.role() == Role.OWNER && !concerns(handle, by.team(), rollout)) {
      throw ApiException.forbidden(
          "NOT_YOUR_HOSTS",
          "%s may not %s rollout %s: none of its hosts carries an application of team %s; nothing was changed."
              .formatted(by.name(), what, rollout, by.team()));
    }
  }

  private static boolean concerns(Handle handle, String team, String rollout) {
    return Sql.yes(
        handle,
        """
        SELECT COALESCE(jsonb_exists(owners_of(ARRAY(
            SELECT unnest(applications) FROM rollouts WHERE id = :rollout
            UNION SELECT unnest(applications) FROM host_upgrades WHERE rollout = :rollout
            UNION SELECT i.application FROM host_upgrades u JOIN instances i ON i.host = u.host
                  WHERE u.rollout = :rollout AND i.vanished_at IS NULL)), :team), false)
        """,
        Map.of("rollout", rollout, "team", team));
  }
}
