package dev.drydock.orchestrator.store;

import dev.drydock.api.EventKind;
import dev.drydock.api.Release;
import dev.drydock.orchestrator.versions.ReleaseOrder;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.store.Sql;
import dev.drydock.platform.store.WakeupChannel;
import dev.drydock.proto.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Hosts that another rollout brought further than their own would: nothing is done to them, and
 * only a revert takes them back. Which release is the older one is told by the versions of its
 * packages, not by when rollouts were submitted: a fix for one host comes later than the rollout of
 * the fleet, and so does a mistake.
 *
 * <p>It is looked at twice. When a host ends Upgraded, those who wait for it in other rollouts are
 * told at once. When a host is granted, its row says so, and its batch leaves it alone. In between
 * nobody can bring it further: its lock is held.
 */
public final class SupersededHosts {
  private SupersededHosts() {}

  /** A host, and the release that it is on beside the one that its rollout wants. */
  private record Further(
      String rollout, String host, String by, String wanted, String has, String family) {

    /** What tells that the release that is wanted is the older one; empty where it is not. */
    Optional<String> older() {
      Release on = Json.read(has, Release.class);
      return ReleaseOrder.older(Json.read(wanted, Release.class), on, family)
          .map(
              change ->
                  "superseded by %s: the host is on release %s, which is newer (%s); rollout revert takes it back"
                      .formatted(by, on.getName(), change));
    }
  }

  /**
   * The rows of a grant that was just recorded say which of its hosts were brought further. The
   * caller holds the lock of the grant.
   */
  static void mark(Handle handle, String grant) {
    for (Further host : further(handle, "u.grant_id = :id AND u.state = 'InProgress'", grant)) {
      host.older()
          .ifPresent(
              says ->
                  Sql.update(
                      handle,
                      """
                      UPDATE host_upgrades SET superseded_by = :says
                      WHERE rollout = :rollout AND host = :host
                      """,
                      Map.of(
                          "says", says,
                          "rollout", host.rollout(),
                          "host", host.host())));
    }
  }

  /**
   * A host was brought to another release: it ends Skipped wherever it waits to be brought to an
   * older one.
   */
  public static void skipWaiting(Handle handle, String host) {
    for (Further waiting :
        further(handle, "u.host = :id AND u.state = 'Pending' AND u.grant_id IS NULL", host)) {
      waiting.older().ifPresent(says -> skip(handle, waiting, says));
    }
  }

  private static void skip(Handle handle, Further waiting, String says) {
    int skipped =
        Sql.update(
            handle,
            """
            UPDATE host_upgrades
            SET state = 'Skipped', reason = :says, ended_at = clock_timestamp()
            WHERE rollout = :rollout AND host = :host
              AND state = 'Pending' AND grant_id IS NULL
            """,
            Map.of("says", says, "rollout", waiting.rollout(), "host", waiting.host()));
    if (skipped == 1) {
      NewEvent.ofHost(
              EventKind.HostSkipped, waiting.rollout(), waiting.host(), Map.of("reason", says))
          .append(handle);
      Wakeups.add(handle, WorkflowIds.rollout(waiting.rollout()), waiting.host());
      WakeupChannel.notify(handle, Wakeups.GRANTOR_CHANNEL);
    }
  }

  private static List<Further> further(Handle handle, String which, String id) {
    return Sql.list(
        handle,
        Further.class,
        """
        SELECT u.rollout, u.host, wanted.spec::text AS wanted, has.spec::text AS has,
               COALESCE(h.labels->>'os-family', 'apt') AS family,
               COALESCE((SELECT o.rollout FROM host_upgrades o JOIN rollouts x ON x.id = o.rollout
                         WHERE o.host = u.host AND o.state = 'Upgraded' AND x.release = h.release
                         ORDER BY o.ended_at DESC LIMIT 1), 'another rollout') AS by
        FROM host_upgrades u JOIN rollouts r ON r.id = u.rollout JOIN hosts h ON h.name = u.host
        JOIN releases wanted ON wanted.name = r.release JOIN releases has ON has.name = h.release
        WHERE h.release <> r.release AND NOT goes_back(r.id) AND\s
        """
            + which
            + " ORDER BY u.rollout",
        Map.of("id", id));
  }
}
