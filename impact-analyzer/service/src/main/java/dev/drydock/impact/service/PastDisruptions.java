package dev.drydock.impact.service;

import dev.drydock.impact.core.Disruption;
import dev.drydock.impact.core.Policies;
import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/**
 * Reads which instances were taken down, as far back as rules in force ask. What batches and other
 * locks did is noted by the database when a batch opens and when the history tells of a lock (the
 * function {@code note_disruptions}).
 *
 * <p>Property: a lock that ended is never forgotten because the history has not told of it yet:
 * what its end left in etcd stands for it, at the latest time it can have been.
 */
final class PastDisruptions {
  /** The view of the fleet is a little older than this query; the rules look at times exactly. */
  private static final int LATER_SECONDS = 60;

  private PastDisruptions() {}

  static List<Disruption> read(Handle handle, LockTable table, Policies policies) {
    Map<String, Duration> past = policies.past();
    if (past.isEmpty()) {
      return List.of();
    }
    String[] applications = past.keySet().toArray(new String[0]);
    List<Disruption> disruptions = new ArrayList<>(noted(handle, table, applications, past));
    disruptions.addAll(untold(handle, table, applications));
    return disruptions;
  }

  /** A lock that goes on is told of whenever it began. */
  private static List<Disruption> noted(
      Handle handle, LockTable table, String[] applications, Map<String, Duration> past) {
    long longest = past.values().stream().mapToLong(Duration::toSeconds).max().orElse(0);
    String[] held =
        table.locks().values().stream()
            .filter(lock -> !table.lapsed(lock))
            .map(LockRecord::id)
            .distinct()
            .toArray(String[]::new);
    return handle
        .createQuery(
            """
            SELECT instance, application, host, lock_id, at FROM disruptions
            WHERE application = ANY (:applications)
              AND (at > clock_timestamp() - make_interval(secs => :seconds)
                   OR lock_id = ANY (:held))
            """)
        .bind("applications", applications)
        .bind("seconds", longest + LATER_SECONDS)
        .bind("held", held)
        .map(
            (row, _) ->
                new Disruption(
                    row.getString("instance"),
                    row.getString("application"),
                    row.getString("host"),
                    row.getTimestamp("at").toInstant(),
                    goesOn(table, row.getString("host"), row.getString("lock_id"))))
        .list();
  }

  private static boolean goesOn(LockTable table, String host, String lockId) {
    LockRecord lock = table.locks().get(host);
    return lock != null && lock.id().equals(lockId) && !table.lapsed(lock);
  }

  /**
   * Marks are issued in order: the next one that is still known was issued after the lock ended. A
   * lapsed lock stands on its host until that was seen well; its host may be taken meanwhile.
   */
  private static List<Disruption> untold(Handle handle, LockTable table, String[] applications) {
    List<EndedLock> ended =
        Stream.concat(
                table.ended().values().stream(),
                table.locks().values().stream()
                    .filter(table::lapsed)
                    .map(
                        lock ->
                            new EndedLock(lock.host(), lock.id(), Long.MAX_VALUE, "", "lapsed")))
            .toList();
    return handle
        .createQuery(
            """
            SELECT i.id, i.application, i.host,
                   COALESCE((SELECT m.issued_at FROM marks m WHERE m.mark >= e.mark
                             ORDER BY m.mark LIMIT 1), clock_timestamp()) AS at
            FROM unnest(CAST(:hosts AS text[]), CAST(:locks AS text[]), CAST(:marks AS bigint[]))
                   AS e (host, lock_id, mark)
            JOIN instances i ON i.host = e.host AND i.vanished_at IS NULL
            WHERE i.application = ANY (:applications)
              AND NOT EXISTS (SELECT FROM grants g WHERE g.id = e.lock_id)
              AND NOT EXISTS (SELECT FROM lock_history h
                              WHERE h.lock_id = e.lock_id AND h.what = 'Granted')
            """)
        .bind("applications", applications)
        .bind("hosts", ended.stream().map(EndedLock::host).toArray(String[]::new))
        .bind("locks", ended.stream().map(EndedLock::lockId).toArray(String[]::new))
        .bind("marks", ended.stream().map(EndedLock::mark).toArray(Long[]::new))
        .map(
            (row, _) ->
                new Disruption(
                    row.getString("id"),
                    row.getString("application"),
                    row.getString("host"),
                    row.getTimestamp("at").toInstant(),
                    false))
        .list();
  }
}
