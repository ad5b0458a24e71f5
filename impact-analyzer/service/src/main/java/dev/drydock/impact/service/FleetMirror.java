package dev.drydock.impact.service;

import dev.drydock.impact.core.FleetHost;
import dev.drydock.impact.core.FleetInstance;
import dev.drydock.impact.core.Health;
import dev.drydock.impact.core.InventorySnapshot;
import dev.drydock.impact.core.InventoryTracker;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * The rows of {@code hosts} and {@code instances} in memory: reads what changed since it last read,
 * and everything at first. Safe for use by many threads, one at a time.
 *
 * <p>Property: after {@link #read} the inventory is that of the reading transaction, because
 *
 * <ol>
 *   <li>a row that looks different from when it was last read was changed by a transaction that
 *       could not be seen then, and carries its number; {@link ReadPosition} tells which those are;
 *   <li>who reads has its {@linkplain #inTurn turn} before it takes its snapshot, so no older state
 *       is put over a newer one. One that looked at the database before is noticed, as time went
 *       back for it: it reads everything anew, and the next one goes on from there;
 *   <li>where rows were removed or renamed or the database is another one, everything is read anew
 *       as well;
 *   <li>where reading fails, everything is read anew by the next one;
 *   <li>a transaction that changed such rows itself is turned away: nobody knows yet whether they
 *       stay.
 * </ol>
 *
 * <p>In a transaction whose statements each have a view of their own, instances are read before
 * hosts: an effect on a host is then never older than what was seen of its instances.
 *
 * <p>What it does not notice: rows written while the triggers {@code note_*} of both tables are
 * disabled.
 */
final class FleetMirror {
  /** Rows fetched at a time: few enough that their text does not count beside the fleet. */
  private static final int ROWS = 5_000;

  /** No transaction has this number. */
  private static final long NOBODY = -1;

  private final Function<Handle, ReadPosition> position;
  private final ReentrantLock turn = new ReentrantLock();
  private InventoryTracker book = new InventoryTracker();
  private Map<String, String> shared = new HashMap<>();
  private @Nullable ReadPosition last;
  private List<String> lastLabels = List.of();

  FleetMirror() {
    this(ReadPosition::of);
  }

  /**
   * A mirror with nothing in it.
   *
   * @param position where a transaction stands
   */
  FleetMirror(Function<Handle, ReadPosition> position) {
    this.position = position;
  }

  /**
   * Waits for the turn and keeps it meanwhile. Whoever needs a connection has it before: else those
   * who wait could have them all.
   */
  <T> T inTurn(Supplier<T> reading) {
    turn.lock();
    try {
      return reading.get();
    } finally {
      turn.unlock();
    }
  }

  /**
   * The inventory as the handle's transaction sees it; in turn.
   *
   * @param labels keys of the labels that hosts have to come with
   * @throws IllegalStateException if the transaction changed rows of the fleet itself
   */
  InventorySnapshot read(Handle handle, List<String> labels) {
    if (!turn.isHeldByCurrentThread()) {
      throw new IllegalStateException("the fleet is read in turn");
    }
    ReadPosition now = position.apply(handle);
    ReadPosition from = last;
    last = null;
    if (from == null || !from.leadsTo(now)) {
      from = null;
      forget();
    }
    instances(handle, from, now);
    hosts(handle, lastLabels.equals(labels) ? from : null, now, labels);
    lastLabels = labels;
    last = now;
    return book.inventory();
  }

  /** Before everything is read anew, so that the fleet is not there twice. */
  private void forget() {
    book = new InventoryTracker();
    shared = new HashMap<>();
  }

  private void instances(Handle handle, @Nullable ReadPosition from, ReadPosition now) {
    String sql =
        """
        SELECT id, application, host, zone, capacity, health, mark, observed_at,
               vanished_at IS NOT NULL, changed
        FROM instances
        """;
    query(handle, sql, "WHERE vanished_at IS NULL", from, now)
        .map((row, _) -> instance(row, now))
        .forEach(book::put);
  }

  private void hosts(
      Handle handle, @Nullable ReadPosition from, ReadPosition now, List<String> labels) {
    String sql =
        """
        SELECT name, source, vanished_at IS NOT NULL, effect_mark,
               ARRAY(SELECT labels ->> l.key
                     FROM unnest(CAST(:labels AS text[])) WITH ORDINALITY AS l (key, place)
                     ORDER BY l.place),
               changed
        FROM hosts
        """;
    query(handle, sql, "", from, now)
        .bindArray("labels", String.class, labels)
        .map((row, _) -> host(row, now, labels))
        .forEach(book::put);
  }

  /**
   * Rows as they come, so that not all are in memory at once. A number that is still to come stands
   * on rows restored from another database alone: these were read at first.
   */
  private Query query(
      Handle handle, String sql, String everything, @Nullable ReadPosition from, ReadPosition now) {
    if (from == null) {
      return handle.createQuery(sql + everything).setFetchSize(ROWS);
    }
    return handle
        .createQuery(
            sql
                + """
                WHERE (changed >= :next OR changed = ANY (:running))
                  AND (changed = :own OR changed < (
                    SELECT CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS text) AS bigint)))
                """)
        .bind("own", now.own().orElse(NOBODY))
        .bind("next", from.next())
        .bindArray("running", Long.class, from.running())
        .setFetchSize(ROWS);
  }

  private FleetInstance instance(ResultSet row, ReadPosition now) throws SQLException {
    settled(row.getLong(10), now);
    return new FleetInstance(
        row.getString(1),
        shared(row.getString(2)),
        shared(row.getString(3)),
        shared(row.getString(4)),
        row.getInt(5),
        health(row.getString(6)),
        row.getLong(7),
        row.getTimestamp(8).toInstant(),
        row.getBoolean(9));
  }

  private FleetHost host(ResultSet row, ReadPosition now, List<String> keys) throws SQLException {
    settled(row.getLong(6), now);
    Map<String, String> labels = new HashMap<>();
    @Nullable String[] values = (String[]) row.getArray(5).getArray();
    for (int i = 0; i < values.length; i++) {
      String value = values[i];
      if (value != null) {
        labels.put(keys.get(i), shared(value));
      }
    }
    return new FleetHost(
        shared(row.getString(1)),
        shared(row.getString(2)),
        row.getBoolean(3),
        row.getLong(4),
        labels,
        false);
  }

  private static void settled(long changed, ReadPosition now) {
    if (now.own().filter(own -> own == changed).isPresent()) {
      throw new IllegalStateException(
          "a transaction that changed the fleet's rows cannot look at the fleet: they may not"
              + " stay");
    }
  }

  /** Names occur thousands of times. */
  private String shared(String name) {
    String known = shared.putIfAbsent(name, name);
    return known == null ? name : known;
  }

  /** A word this program does not know is no proof of health. */
  private static Health health(String word) {
    return switch (word) {
      case "Healthy" -> Health.HEALTHY;
      case "Unhealthy" -> Health.UNHEALTHY;
      default -> Health.UNKNOWN;
    };
  }
}
