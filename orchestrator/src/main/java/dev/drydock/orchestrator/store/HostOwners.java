package dev.drydock.orchestrator.store;

import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.Sql;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** Who may speak for the owners of what runs on hosts of a batch. */
public final class HostOwners {
  private HostOwners() {}

  /** Whether of their team something runs there, or ran there before; administrators always. */
  public static boolean include(Handle handle, Principal by, String grant, List<String> hosts) {
    return by.role() == Role.ADMIN
        || (by.role() == Role.OWNER
            && Sql.yes(
                handle,
                """
                SELECT COALESCE(bool_or(jsonb_exists(owners_of(
                         applications_on(u.host) || u.applications), :team)), false)
                FROM host_upgrades u WHERE u.grant_id = :grant AND u.host = ANY(:hosts)
                """,
                Map.of("team", by.team(), "grant", grant, "hosts", hosts)));
  }
}
