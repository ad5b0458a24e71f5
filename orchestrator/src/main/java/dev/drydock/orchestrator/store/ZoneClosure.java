package dev.drydock.orchestrator.store;

import dev.drydock.orchestrator.store.NewBatches.Open;
import dev.drydock.platform.store.Sql;
import java.util.Collection;
import java.util.List;
import java.util.Map;
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
  public static Optional<String> grown(Handle handle, GrantRow grant, ZonePolicy zonePolicy) {
    Set<String> together = zonePolicy.together();
    if (together.isEmpty()) {
      return Optional.empty();
    }
    List<String> others =
        Sql.texts(
            handle,
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
            """,
            Map.of(
                "rollout",
                grant.rollout(),
                "grant",
                grant.id(),
                "together",
                together,
                "limit",
                NAMED_MAX));
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
   * could only wait for ever: its hosts are cancelled, untouched. Only hosts that come into another
   * batch, or are cancelled, are locked and written.
   */
  public static void regroup(Handle handle, String rollout, ZonePolicy zonePolicy) {
    alone(handle, rollout);
    NewBatches made = made(handle, rollout, zonePolicy);
    if (!lock(handle, rollout, made.touched())) {
      // Somebody took one of them since it was read; now nobody takes any.
      lock(handle, rollout, free(handle, rollout));
      made = made(handle, rollout, zonePolicy);
    }
    for (List<String> batch : made.tooLarge()) {
      cancel(handle, rollout, batch, zonePolicy.most());
    }
    handle
        .createUpdate(
            """
            UPDATE host_upgrades u SET batch = b.number
            FROM unnest(:hosts, :numbers) AS b (host, number)
            WHERE u.rollout = :rollout AND u.host = b.host
            """)
        .bind("rollout", rollout)
        .bindArray("hosts", String.class, made.numbers().keySet())
        .bindArray("numbers", Integer.class, made.numbers().values())
        .execute();
    letGoWithCanaries(handle, rollout);
    CohortHalts.hold(handle, rollout);
  }

  /** Until the transaction ends: two that know nothing of each other give one number twice. */
  private static void alone(Handle handle, String rollout) {
    handle
        .createQuery("SELECT pg_advisory_xact_lock(hashtextextended('batches of ' || :rollout, 0))")
        .bind("rollout", rollout)
        .mapToMap()
        .list();
  }

  private static NewBatches made(Handle handle, String rollout, ZonePolicy zonePolicy) {
    List<Open> open =
        Sql.list(
            handle,
            Open.class,
            """
            SELECT host, batch, state = 'Pending' AND grant_id IS NULL AS free
            FROM host_upgrades
            WHERE rollout = :rollout AND state IN ('Pending', 'InProgress')
            ORDER BY batch, position
            """,
            Map.of("rollout", rollout));
    List<String> free = open.stream().filter(Open::free).map(Open::host).toList();
    return NewBatches.of(open, zonePolicy.batches(free), zonePolicy.most());
  }

  private static List<String> free(Handle handle, String rollout) {
    return Sql.texts(
        handle,
        """
        SELECT host FROM host_upgrades
        WHERE rollout = :rollout AND state = 'Pending' AND grant_id IS NULL
        """,
        Map.of("rollout", rollout));
  }

  /** Whether nobody has any of the hosts; the order of locks is that of proposals. */
  private static boolean lock(Handle handle, String rollout, Collection<String> hosts) {
    return Sql.texts(
                handle,
                """
                SELECT host FROM host_upgrades
                WHERE rollout = :rollout AND host = ANY(:hosts)
                  AND state = 'Pending' AND grant_id IS NULL
                ORDER BY host FOR NO KEY UPDATE
                """,
                Map.of("rollout", rollout, "hosts", hosts))
            .size()
        == hosts.size();
  }

  private static void cancel(Handle handle, String rollout, List<String> batch, int most) {
    Sql.update(
        handle,
        """
        UPDATE host_upgrades
        SET state = 'Cancelled', reason = :reason, ended_at = clock_timestamp()
        WHERE rollout = :rollout AND host = ANY(:hosts)
        """,
        Map.of(
            "reason",
                ("instances moved, and its fault zones join %d hosts now, all or none: one grant takes at"
                        + " most %d; spread them over more zones, or let the policy take fewer together,"
                        + " then submit them again")
                    .formatted(batch.size(), most),
            "rollout", rollout,
            "hosts", batch));
  }

  /** A canary waits for nobody: who now has to go with one would wait for itself. */
  private static void letGoWithCanaries(Handle handle, String rollout) {
    Sql.update(
        handle,
        """
        UPDATE host_upgrades
        SET waits_for = ARRAY(SELECT gate FROM unnest(waits_for) AS gate
                              WHERE starts_with(gate, 'halt:'))
        WHERE rollout = :rollout AND EXISTS (SELECT FROM unnest(waits_for) AS gate
                                             WHERE NOT starts_with(gate, 'halt:'))
          AND batch IN (
          SELECT u.batch FROM host_upgrades u JOIN canary_gates g ON g.rollout = u.rollout
          WHERE u.rollout = :rollout AND u.host = ANY(g.hosts)
            AND u.state IN ('Pending', 'InProgress'))
        """,
        Map.of("rollout", rollout));
  }
}
