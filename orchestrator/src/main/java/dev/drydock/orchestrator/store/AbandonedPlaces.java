package dev.drydock.orchestrator.store;

import dev.drydock.lock.core.Ticket;
import dev.drydock.platform.store.Sql;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Jdbi;

/**
 * Places in the queue that no rollout comes back for: no host of theirs is pending or in progress
 * in it. A host of a grant that is only proposed is pending, also after an abort: should the grant
 * become void, its rollout says what becomes of the host.
 */
final class AbandonedPlaces {
  private AbandonedPlaces() {}

  /** See {@link dev.drydock.lock.core.Candidates#abandoned}. */
  static Set<String> among(Jdbi jdbi, Collection<Ticket> places) {
    List<String> ids = new ArrayList<>();
    List<String> rollouts = new ArrayList<>();
    List<String> hosts = new ArrayList<>();
    for (Ticket place : places) {
      for (String host : place.hosts()) {
        ids.add(place.id());
        rollouts.add(place.rollout().orElse(""));
        hosts.add(host);
      }
    }
    // Host by host by the primary key, whatever the statistics of the table say.
    return Set.copyOf(
        Sql.texts(
            jdbi,
            """
            SELECT place.id FROM unnest(:ids, :rollouts, :hosts) AS place (id, rollout, host)
            LEFT JOIN LATERAL (
              SELECT u.host FROM host_upgrades u
              WHERE u.rollout = place.rollout AND u.host = place.host
                AND u.state IN ('Pending', 'InProgress') LIMIT 1) wanted ON true
            GROUP BY place.id HAVING count(wanted.host) = 0
            """,
            Map.of("ids", ids, "rollouts", rollouts, "hosts", hosts)));
  }
}
