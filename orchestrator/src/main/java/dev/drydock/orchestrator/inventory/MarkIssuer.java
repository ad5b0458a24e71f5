package dev.drydock.orchestrator.inventory;

import dev.drydock.lock.core.MarkSequence;
import dev.drydock.platform.store.Sql;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Issues marks (protocol P6) and remembers for whom and when. Safe for use by many threads.
 *
 * <p>Properties: of two marks, the one whose fetching ended before the other's began is lower.
 */
public final class MarkIssuer implements MarkSequence {
  /** For whom the server's own marks are issued: they order the ends of locks and effects. */
  public static final String SERVER = "drydock";

  private final Jdbi jdbi;

  MarkIssuer(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** A mark as it was issued. */
  record Issued(long mark, String source, Instant at) {}

  @Override
  public long next() {
    return issue(SERVER);
  }

  /** The next mark, for a source that is about to read. */
  public long issue(String source) {
    return jdbi.withHandle(handle -> issue(handle, source));
  }

  /** The next mark, within a transaction of the caller. */
  public static long issue(Handle handle, String source) {
    return Sql.one(
        handle,
        Long.class,
        "INSERT INTO marks (source) VALUES (:source) RETURNING mark",
        Map.of("source", source));
  }

  static Optional<Issued> find(Handle handle, long mark) {
    return Sql.find(
        handle,
        Issued.class,
        "SELECT mark, source, issued_at AS at FROM marks WHERE mark = :mark",
        Map.of("mark", mark));
  }

  /**
   * Forgets marks older than {@code age}, but for the newest of each source: a report under one is
   * refused.
   */
  int prune(Duration age) {
    return Sql.update(
        jdbi,
        """
        DELETE FROM marks
        WHERE issued_at < clock_timestamp() - make_interval(secs => :seconds)
          AND NOT EXISTS (SELECT FROM sources WHERE last_mark = marks.mark)
        """,
        Map.of("seconds", age.toSeconds()));
  }
}
