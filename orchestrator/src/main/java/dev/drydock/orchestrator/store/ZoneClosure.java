package dev.drydock.orchestrator.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Whether a granted batch still is all of the fault zones it touches, and what becomes of those
 * that are not: instances may move between the grant and the first undeploy (protocol P7). The
 * caller holds the lock of the grant.
 */
public final class ZoneClosure {
  private static final int NAMED_MAX = 5;

  private ZoneClosure() {}

  /**
   * Why the batch may not go on as it is: other hosts of its rollout that are not done have
   * instances in a zone it touches now. Empty when there are none.
   */
  public static Optional<String> grown(Handle handle, GrantRow grant, Zones zones) {
    Set<String> together = zones.together();
    if (together.isEmpty()) {
      return Optional.empty();
    }
    List<String> others =
        handle
            .createQuery(
                """
                SELECT min(other.host || ' (zone ' || other.zone || ' of ' || other.application || ')')
                FROM instances mine
                JOIN instances other ON other.application = mine.application
                  AND other.zone = mine.zone AND other.vanished_at IS NULL
                JOIN host_upgrades u ON u.host = other.host AND u.rollout = :rollout
                  AND u.state IN ('Pending', 'InProgress') AND u.grant_id IS DISTINCT FROM :grant
                WHERE mine.host IN (SELECT host FROM host_upgrades WHERE grant_id = :grant)
                  AND mine.application = ANY(:together) AND mine.zone <> ''
                  AND mine.vanished_at IS NULL
                GROUP BY other.host ORDER BY other.host LIMIT :limit
                """)
            .bind("rollout", grant.rollout())
            .bind("grant", grant.id())
            .bindArray("together", String.class, together)
            .bind("limit", NAMED_MAX)
            .mapTo(String.class)
            .list();
    return others.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "instances moved since the batch was made: all or none, it would have to take "
                + String.join(", ", others)
                + " too");
  }

  /**
   * Makes the batches of the rollout anew, as far as nobody has their hosts, in the same order. Who
   * joined or came back to a halted cohort waits with it. What grew beyond what one grant takes
   * could only wait for ever: its hosts are cancelled, untouched.
   */
  public static void regroup(Handle handle, String rollout, Zones zones) {
    // The order of locks is that of proposals.
    handle
        .createQuery(
            """
            SELECT host FROM host_upgrades
            WHERE rollout = :rollout AND state = 'Pending' AND grant_id IS NULL
            ORDER BY host FOR NO KEY UPDATE
            """)
        .bind("rollout", rollout)
        .mapTo(String.class)
        .list();
    List<String> pending =
        handle
            .createQuery(
                """
                SELECT host FROM host_upgrades
                WHERE rollout = :rollout AND state = 'Pending' AND grant_id IS NULL
                ORDER BY batch, position
                """)
            .bind("rollout", rollout)
            .mapTo(String.class)
            .list();
    List<String> hosts = new ArrayList<>();
    List<Integer> numbers = new ArrayList<>();
    int number = 0;
    for (List<String> batch : zones.batches(pending)) {
      if (batch.size() > zones.most()) {
        cancel(handle, rollout, batch, zones.most());
      }
      number++;
      for (String host : batch) {
        hosts.add(host);
        numbers.add(number);
      }
    }
    handle
        .createUpdate(
            """
            UPDATE host_upgrades u SET batch = b.number + (
              SELECT max(batch) FROM host_upgrades WHERE rollout = :rollout)
            FROM unnest(:hosts, :numbers) AS b (host, number)
            WHERE u.rollout = :rollout AND u.host = b.host
            """)
        .bind("rollout", rollout)
        .bindArray("hosts", String.class, hosts)
        .bindArray("numbers", Integer.class, numbers)
        .execute();
    letGoWithCanaries(handle, rollout);
    CohortHalts.hold(handle, rollout);
  }

  private static void cancel(Handle handle, String rollout, List<String> batch, int most) {
    handle
        .createUpdate(
            """
            UPDATE host_upgrades
            SET state = 'Cancelled', reason = :reason, ended_at = clock_timestamp()
            WHERE rollout = :rollout AND host = ANY(:hosts)
            """)
        .bind(
            "reason",
            ("instances moved, and its fault zones join %d hosts now, all or none: one grant takes at"
                    + " most %d; spread them over more zones, or let the policy take fewer together,"
                    + " then submit them again")
                .formatted(batch.size(), most))
        .bind("rollout", rollout)
        .bindArray("hosts", String.class, batch)
        .execute();
  }

  /** A canary waits for nobody: who now has to go with one would wait for itself. */
  private static void letGoWithCanaries(Handle handle, String rollout) {
    handle
        .createUpdate(
            """
            UPDATE host_upgrades
            SET waits_for = ARRAY(SELECT gate FROM unnest(waits_for) AS gate
                                  WHERE starts_with(gate, 'halt:'))
            WHERE rollout = :rollout AND waits_for <> '{}' AND batch IN (
              SELECT u.batch FROM host_upgrades u JOIN canary_gates g ON g.rollout = u.rollout
              WHERE u.rollout = :rollout AND u.host = ANY(g.hosts)
                AND u.state IN ('Pending', 'InProgress'))
            """)
        .bind("rollout", rollout)
        .execute();
  }
}
