package dev.drydock.orchestrator.batch;

import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.platform.store.Sql;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** What a batch does when one of its hosts fails, as policies say when it begins. */
final class HostFailurePolicy {
  private HostFailurePolicy() {}

  /** The most careful of what the teams on its hosts want. */
  static void keep(Handle handle, GrantRow grant, Map<String, OnHostFailure> said) {
    OnHostFailure strictest =
        OnHostFailure.strictest(
            handle
                .createQuery(
                    """
                    SELECT DISTINCT application FROM instances
                    WHERE host = ANY(:hosts) AND vanished_at IS NULL
                    """)
                .bindArray("hosts", String.class, grant.hosts())
                .mapTo(String.class)
                .map(application -> said.getOrDefault(application, OnHostFailure.ABORT))
                .list());
    Sql.update(
        handle,
        "UPDATE grants SET on_host_failure = :policy WHERE id = :id",
        Map.of("policy", strictest.word(), "id", grant.id()));
  }
}
