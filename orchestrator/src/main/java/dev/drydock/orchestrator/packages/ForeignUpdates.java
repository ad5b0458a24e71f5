package dev.drydock.orchestrator.packages;

import dev.drydock.api.EventKind;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.store.Sql;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** What is remembered of packages that somebody else changed. */
public final class ForeignUpdates {
  /** The most that one report lists. */
  public static final int LISTED_MAX = 1_000;

  private static final int PER_HOST_MAX = 20;

  /**
   * The packages of the host changed between two readings, while it was in nobody's hands.
   *
   * @param after when they were last known to be as before
   * @param before when they were found changed
   */
  public record Found(String host, Instant after, Instant before) {
    String says() {
      return "its packages were changed between "
          + after.truncatedTo(ChronoUnit.SECONDS)
          + " and "
          + before.truncatedTo(ChronoUnit.SECONDS)
          + ", by nobody of Drydock";
    }
  }

  private ForeignUpdates() {}

  /** Keeps it, and tells it in an event. */
  static void keep(Handle handle, Found found) {
    Sql.update(
        handle,
        """
        INSERT INTO foreign_updates (host, after_at, before_at, says)
        VALUES (:host, :after, :before, :says)
        """,
        Map.of(
            "host", found.host(),
            "after", found.after(),
            "before", found.before(),
            "says", found.says()));
    forget(handle, found.host());
    Map<String, Object> data =
        Map.of(
            "after", found.after().toEpochMilli(),
            "before", found.before().toEpochMilli(),
            "reason", found.says());
    new NewEvent(EventKind.ForeignUpdate, Optional.empty(), Optional.of(found.host()), data)
        .append(handle);
  }

  private static void forget(Handle handle, String host) {
    Sql.update(
        handle,
        """
        DELETE FROM foreign_updates WHERE host = :host
          AND (before_at < clock_timestamp() - interval '30 days'
               OR id NOT IN (SELECT id FROM foreign_updates WHERE host = :host
                             ORDER BY id DESC LIMIT :most))
        """,
        Map.of("host", host, "most", PER_HOST_MAX));
  }

  /** Of the hosts of a rollout, since it was created, the newest first. */
  public static List<Found> ofRollout(Handle handle, String rollout) {
    return Sql.list(
        handle,
        Found.class,
        """
        SELECT f.host, f.after_at AS after, f.before_at AS before
        FROM rollouts r JOIN host_upgrades u ON u.rollout = r.id
        JOIN foreign_updates f ON f.host = u.host AND f.before_at >= r.created_at
        WHERE r.id = :rollout ORDER BY f.before_at DESC, f.host LIMIT :most
        """,
        Map.of("rollout", rollout, "most", LISTED_MAX));
  }
}
