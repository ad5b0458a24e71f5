package dev.drydock.orchestrator.packages;

import dev.drydock.platform.store.PageRequest;
import dev.drydock.platform.store.Sql;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** The rows of {@code host_packages}. */
final class PackageRows {
  /** One that cannot be read again and again is asked more and more rarely: at most so rarely. */
  private static final int TIMES_RARER_MAX = 10;

  private static final String STANDING =
      """
      SELECT h.name AS host, h.address, COALESCE(h.labels->>'os-family', 'apt') AS os_family,
             b.epoch, h.effect_mark,
             EXISTS (SELECT FROM host_upgrades u WHERE u.host = h.name AND u.state = 'InProgress')
               OR EXISTS (SELECT FROM recoveries WHERE ended_at IS NULL) AS in_batch,
             COALESCE(p.readings, 0) AS readings, p.mark, p.digest, p.equal_at,
             clock_timestamp() AS now
      """;

  private final Handle handle;

  PackageRows(Handle handle) {
    this.handle = handle;
  }

  /**
   * Hosts in no batch whose last answer is older, the one with the oldest first.
   *
   * @param locked hosts that somebody has
   */
  List<HostPackageState> due(Collection<String> locked, long seconds, PageRequest pageRequest) {
    String due =
        "SELECT * FROM ("
            + STANDING
            + """
            , p.read_at
            FROM hosts h CROSS JOIN store_beats b LEFT JOIN host_packages p ON p.host = h.name
            WHERE h.vanished_at IS NULL AND h.written_off_at IS NULL
              AND h.name NOT IN (SELECT unnest(CAST(:locked AS text[])))
              AND (p.read_at IS NULL
                   -- The clock was set back.
                   OR p.read_at > clock_timestamp()
                   OR p.read_at <= clock_timestamp() - make_interval(secs => :seconds
                        * LEAST(:rarer, 1 << GREATEST(LEAST(p.faults, 8) - 1, 0))))) d
            WHERE NOT in_batch ORDER BY read_at NULLS FIRST, host LIMIT :count OFFSET :start
            """;
    return Sql.list(
        handle,
        HostPackageState.class,
        due,
        Map.of(
            "locked", locked,
            "seconds", seconds,
            "rarer", TIMES_RARER_MAX,
            "count", pageRequest.count(),
            "start", pageRequest.start()));
  }

  /** Those of the hosts that there are, locked in the order of their names. */
  List<HostPackageState> lock(Collection<String> hosts) {
    Sql.update(
        handle,
        """
        INSERT INTO host_packages (host)
        SELECT name FROM hosts WHERE name = ANY (:hosts) ORDER BY name
        ON CONFLICT (host) DO NOTHING
        """,
        Map.of("hosts", hosts));
    // A row that another transaction has just written is locked first and then read: what the
    // statement sees of other tables must not be older than that.
    Sql.texts(
        handle,
        "SELECT host FROM host_packages WHERE host = ANY (:hosts) ORDER BY host FOR UPDATE",
        Map.of("hosts", hosts));
    return Sql.list(
        handle,
        HostPackageState.class,
        STANDING
            + """
            FROM host_packages p JOIN hosts h ON h.name = p.host CROSS JOIN store_beats b
            WHERE p.host = ANY (:hosts) ORDER BY p.host
            """,
        Map.of("hosts", hosts));
  }

  /** The packages could not be read. */
  void unreadable(String host, String fault) {
    Sql.update(
        handle,
        """
        UPDATE host_packages
        SET readings = readings + 1, read_at = clock_timestamp(), faults = faults + 1, fault = :fault
        WHERE host = :host
        """,
        Map.of("host", host, "fault", fault));
  }

  /**
   * The packages were read.
   *
   * @param equalAt a moment before that
   */
  void read(String host, String mark, String digest, Instant equalAt) {
    Sql.update(
        handle,
        """
        UPDATE host_packages
        SET readings = readings + 1, read_at = clock_timestamp(), faults = 0, fault = '',
            mark = :mark, digest = :digest, equal_at = :equalAt
        WHERE host = :host
        """,
        Map.of("host", host, "mark", mark, "digest", digest, "equalAt", equalAt));
  }
}
