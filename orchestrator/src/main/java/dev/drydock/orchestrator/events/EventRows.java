package dev.drydock.orchestrator.events;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Jdbi;

/** The numbered events in PostgreSQL. Safe for use by many threads. */
final class EventRows {
  private final Jdbi jdbi;

  EventRows(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** The highest number given so far; 0 before the first. */
  long head() {
    return number("SELECT COALESCE(max(number), 0) FROM events");
  }

  /** The lowest number kept; the next to be given while none is. */
  long oldest() {
    return number(
        "SELECT COALESCE(min(number), (SELECT COALESCE(max(number), 0) + 1 FROM events)) FROM events");
  }

  private long number(String sql) {
    return jdbi.withHandle(handle -> handle.createQuery(sql).mapTo(Long.class).one());
  }

  /** The first {@code limit} events of the filter with numbers in (after, upTo], in their order. */
  List<FeedEvent> between(long after, long upTo, FeedFilter filter, int limit) {
    String sql =
        "SELECT number, at, kind, rollout, host, data FROM events"
            + " WHERE number > :after AND number <= :upTo"
            + filter.rollout().map(wanted -> " AND rollout = :rollout").orElse("")
            + filter.host().map(wanted -> " AND host = :host").orElse("")
            + (filter.kinds().isEmpty() ? "" : " AND kind = ANY(:kinds)")
            + " ORDER BY number LIMIT :limit";
    Set<String> kinds = filter.kindNames();
    return jdbi.withHandle(
        handle -> {
          var query =
              handle.createQuery(sql).bind("after", after).bind("upTo", upTo).bind("limit", limit);
          filter.rollout().ifPresent(wanted -> query.bind("rollout", wanted));
          filter.host().ifPresent(wanted -> query.bind("host", wanted));
          if (!kinds.isEmpty()) {
            query.bindArray("kinds", String.class, kinds);
          }
          return query.map((row, context) -> event(row)).list();
        });
  }

  /** Whether there is such a rollout, ended or not. */
  boolean hasRollout(String id) {
    return exists("SELECT EXISTS (SELECT FROM rollouts WHERE id = :name)", id);
  }

  /** Whether there is such a host, or was. */
  boolean hasHost(String name) {
    return exists("SELECT EXISTS (SELECT FROM hosts WHERE name = :name)", name);
  }

  private boolean exists(String sql, String name) {
    return jdbi.withHandle(
        handle -> handle.createQuery(sql).bind("name", name).mapTo(Boolean.class).one());
  }

  /**
   * Forgets the oldest events, up to the first that is younger than {@code kept} or among the
   * newest; looks at most at {@code limit}. Only ever a beginning of the feed goes, so that one
   * number says what is left.
   *
   * @return how many went
   */
  int prune(Duration kept, int newest, int limit) {
    return jdbi.withHandle(
        handle ->
            handle
                .createUpdate(
                    """
                    WITH oldest AS (SELECT number, at FROM events
                                    WHERE number IS NOT NULL ORDER BY number LIMIT :limit),
                         young AS (SELECT min(number) AS number FROM oldest
                                   WHERE at >= clock_timestamp() - make_interval(secs => :kept))
                    DELETE FROM events
                    WHERE number <= (SELECT max(number) FROM oldest)
                      AND number < COALESCE((SELECT number FROM young), number + 1)
                      AND number <= (SELECT max(number) FROM events) - :newest
                    """)
                .bind("limit", limit)
                .bind("kept", kept.toMillis() / 1000.0)
                .bind("newest", newest)
                .execute());
  }

  private static FeedEvent event(ResultSet row) throws SQLException {
    return new FeedEvent(
        row.getLong("number"),
        row.getTimestamp("at").toInstant(),
        row.getString("kind"),
        Optional.ofNullable(row.getString("rollout")),
        Optional.ofNullable(row.getString("host")),
        row.getString("data"));
  }
}
