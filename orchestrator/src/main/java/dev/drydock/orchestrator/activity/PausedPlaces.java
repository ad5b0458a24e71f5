package dev.drydock.orchestrator.activity;

import dev.drydock.lock.core.Holds;
import dev.drydock.lock.core.Ticket;
import dev.drydock.platform.store.Sql;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Keeps the places of a paused rollout (protocol P3). Its batches are not offered to the grantor,
 * which takes their tickets out of the queue after a while; before that the age of each ticket
 * becomes that of its hosts, and when the rollout is resumed they stand where they stood. Safe for
 * use by many threads.
 */
final class PausedPlaces {
  private final Jdbi jdbi;
  private final Holds holds;

  PausedPlaces(Jdbi jdbi, Holds holds) {
    this.jdbi = jdbi;
    this.holds = holds;
  }

  /** To be repeated while the rollout may be paused, more often than tickets are taken out. */
  void keep(String rollout) {
    List<Ticket> places =
        holds.table().tickets().stream()
            .filter(ticket -> ticket.rollout().filter(rollout::equals).isPresent())
            .toList();
    if (!places.isEmpty()) {
      jdbi.useTransaction(
          handle -> {
            if (paused(handle, rollout)) {
              places.forEach(place -> keep(handle, rollout, place));
            }
          });
    }
  }

  /** Whether it is paused; it stays so until the transaction ends. */
  private static boolean paused(Handle handle, String rollout) {
    return Sql.yes(
        handle,
        "SELECT state = 'Paused' FROM rollouts WHERE id = :id FOR SHARE",
        Map.of("id", rollout));
  }

  private static void keep(Handle handle, String rollout, Ticket place) {
    Sql.update(
        handle,
        """
        UPDATE host_upgrades
        SET seniority_revision = :revision, seniority_index = :index
        WHERE rollout = :rollout AND host = ANY(:hosts) AND state = 'Pending'
          AND seniority_revision IS NULL
        """,
        Map.of(
            "revision", place.seniority().revision(),
            "index", place.seniority().index(),
            "rollout", rollout,
            "hosts", place.hosts()));
  }
}
