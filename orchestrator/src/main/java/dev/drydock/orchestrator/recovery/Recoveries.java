package dev.drydock.orchestrator.recovery;

import dev.drydock.api.EventKind;
import dev.drydock.orchestrator.jobs.Deadlines;
import dev.drydock.orchestrator.recovery.StoreAgreement.Behind;
import dev.drydock.orchestrator.recovery.StoreAgreement.Store;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.store.Sql;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** The recoveries there were; at most one is open. Safe for use by many threads and processes. */
final class Recoveries {
  private final Jdbi jdbi;

  Recoveries(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * A recovery that has not ended.
   *
   * @param epoch the one that begins with its end; there once both stores were joined
   */
  record Open(long id, Store behind, String reason, Instant noticedAt, OptionalLong epoch) {}

  /** How far it is. */
  record Progress(long hosts, long read) {
    boolean done() {
      return read == hosts;
    }
  }

  /** Writes down that a store is behind, once; from here on nothing is granted or claimed. */
  void begin(Behind found) {
    jdbi.useTransaction(
        handle -> {
          int begun =
              Sql.update(
                  handle,
                  """
                  INSERT INTO recoveries (behind, reason) VALUES (:behind, :reason)
                  ON CONFLICT DO NOTHING
                  """,
                  Map.of("behind", found.store().word(), "reason", found.reason()));
          if (begun == 1) {
            NewEvent.ofFleet(
                    EventKind.RecoveryStarted,
                    Map.of("behind", found.store().word(), "reason", found.reason()))
                .append(handle);
            // Also where etcd is behind: PostgreSQL may have been restored as well.
            new NumberRestorer(handle).leap();
          }
        });
  }

  Optional<Open> open() {
    return jdbi.withHandle(Recoveries::open);
  }

  static Optional<Open> open(Handle handle) {
    return handle
        .createQuery(
            """
            SELECT id, behind, reason, noticed_at, COALESCE(epoch, 0) AS epoch FROM recoveries
            WHERE ended_at IS NULL
            """)
        .map(
            (row, context) ->
                new Open(
                    row.getLong("id"),
                    Store.of(row.getString("behind")),
                    row.getString("reason"),
                    row.getTimestamp("noticed_at").toInstant(),
                    row.getLong("epoch") == 0
                        ? OptionalLong.empty()
                        : OptionalLong.of(row.getLong("epoch"))))
        .findOne();
  }

  /**
   * What every claim asks, in one look.
   *
   * @param taken the last beat of PostgreSQL
   * @param closed why, while a recovery is open
   * @param joined whether hosts are read back by now
   */
  record Standing(long taken, Optional<String> closed, boolean joined) {}

  static Standing standing(Handle handle) {
    return Sql.one(
        handle,
        Standing.class,
        """
        SELECT GREATEST(b.taken, (SELECT max(beat) FROM grants)) AS taken, r.reason AS closed,
               r.epoch IS NOT NULL AS joined
        FROM store_beats b LEFT JOIN recoveries r ON r.ended_at IS NULL
        """,
        Map.of());
  }

  /** Its hosts, and those that were read. */
  Progress progress(Open recovery) {
    return Sql.one(
        jdbi,
        Progress.class,
        """
        SELECT count(*) AS hosts, count(read_at) AS read FROM recovery_hosts WHERE recovery = :id
        """,
        Map.of("id", recovery.id()));
  }

  /** Hosts that are not read yet, by name. */
  List<String> unread(Open recovery) {
    return Sql.texts(
        jdbi,
        """
        SELECT host FROM recovery_hosts WHERE recovery = :id AND read_at IS NULL
        ORDER BY host
        """,
        Map.of("id", recovery.id()));
  }

  /** Hosts the grantor has yet to lock, by name. */
  List<String> toLock() {
    return Sql.texts(
        jdbi, "SELECT DISTINCT host FROM impounds WHERE done_at IS NULL ORDER BY 1", Map.of());
  }

  /**
   * Ends it inside the transaction that begins the epoch. Nobody could do jobs while it was open,
   * nor while servers were down before it: their time begins anew.
   */
  static void end(Handle handle, Open recovery, Progress progress) {
    Deadlines.renew(handle);
    Sql.update(
        handle,
        "UPDATE recoveries SET ended_at = clock_timestamp() WHERE id = :id AND ended_at IS NULL",
        Map.of("id", recovery.id()));
    NewEvent.ofFleet(
            EventKind.RecoveryEnded,
            Map.of(
                "behind", recovery.behind().word(),
                "epoch", recovery.epoch().orElseThrow(),
                "hosts", progress.hosts()))
        .append(handle);
  }
}
