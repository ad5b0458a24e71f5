package dev.drydock.impact.service;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/**
 * Up to where rows of the fleet were read: which transactions that read could see.
 *
 * <p>A row carries the transaction that last changed it ({@code note_change}). A transaction was
 * not seen if it began after the snapshot (its number is {@code next} or more) or was running then
 * ({@code running}, to which the reading transaction itself belongs as it may go on to write); all
 * others had ended. So the rows of the transactions not seen are exactly those that may look
 * different now.
 *
 * @param database which database it is, in which of its lives: numbers of another say nothing
 * @param removals number of the last time that rows were removed
 * @param next all transactions with this number or a higher one were not seen
 * @param running transactions below {@code next} that were not seen either
 * @param own number of the reading transaction; empty when it wrote nothing so far
 */
record ReadPosition(
    String database, long removals, long next, List<Long> running, Optional<Long> own) {

  /**
   * Where the handle's transaction stands. A database is known by its cluster, its timeline (a
   * standby that took over may have lost commits), the start of its server (so may one that did not
   * wait for its disk), its last crash (after which numbers of transactions that were taken back
   * are given out again; it loses what it counted then, so the time since when it counts is
   * another) and where the tables are (a table that was restored or written anew is elsewhere).
   */
  static ReadPosition of(Handle handle) {
    return handle
        .createQuery(
            """
            SELECT concat_ws('/',
                (SELECT system_identifier FROM pg_control_system()),
                left(pg_walfile_name(pg_current_wal_lsn()), 8),
                extract(epoch FROM pg_postmaster_start_time()),
                (SELECT extract(epoch FROM stats_reset) FROM pg_stat_bgwriter),
                (SELECT oid FROM pg_database WHERE datname = current_database()),
                CAST(CAST('hosts' AS regclass) AS oid), pg_relation_filenode('hosts'),
                CAST(CAST('instances' AS regclass) AS oid), pg_relation_filenode('instances')
              ) AS database,
              (SELECT times FROM fleet_removals) AS removals,
              CAST(CAST(pg_snapshot_xmax(s.now) AS text) AS bigint) AS next,
              ARRAY(SELECT CAST(CAST(x AS text) AS bigint) FROM pg_snapshot_xip(s.now) AS x)
                AS running,
              CAST(CAST(pg_current_xact_id_if_assigned() AS text) AS bigint) AS own
            FROM (SELECT pg_current_snapshot() AS now) s
            """)
        .map(
            (row, _) -> {
              long number = row.getLong("own");
              Optional<Long> own = row.wasNull() ? Optional.empty() : Optional.of(number);
              Long[] running = (Long[]) row.getArray("running").getArray();
              return new ReadPosition(
                  Objects.requireNonNull(row.getString("database")),
                  row.getLong("removals"),
                  row.getLong("next"),
                  Stream.concat(Arrays.stream(running), own.stream()).sorted().toList(),
                  own);
            })
        .one();
  }

  /**
   * Whether who has read up to here has missed nothing but changed rows when it goes on from there:
   * nothing was removed, and time went forward. It did not for a transaction whose view is from
   * before, nor in a database that was set back: some that were seen would not be.
   */
  boolean leadsTo(ReadPosition there) {
    return database.equals(there.database)
        && removals == there.removals
        && next <= there.next
        && there.running.stream().allMatch(number -> number >= next || running.contains(number));
  }
}
