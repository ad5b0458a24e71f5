package dev.drydock.orchestrator.events;

import dev.drydock.platform.store.Sql;
import dev.drydock.proto.Json;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

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
    return Sql.one(jdbi, Long.class, sql, Map.of());
  }

  /**
   * The first {@code limit} events with numbers in (after, upTo], in their order: those of the
   * filter, but for what its audience does not want of those that concern it.
   */
  List<FeedEvent> between(long after, long upTo, FeedFilter filter, int limit) {
    String sql =
        "SELECT number, at, kind, rollout, host, data, owners FROM events"
            + " WHERE number > :after AND number <= :upTo"
            + filter.rollout().map(wanted -> " AND rollout = :rollout").orElse("")
            + filter.host().map(wanted -> " AND host = :host").orElse("")
            + (filter.kinds().isEmpty() ? "" : " AND kind = ANY(:kinds)")
            + filter
                .audience()
                .map(team -> " AND owners IS NOT NULL AND jsonb_exists(owners, :team)")
                .orElse("")
            + " ORDER BY number LIMIT :limit";
    Set<String> kinds = filter.kindNames();
    return jdbi.withHandle(
        handle -> {
          var query =
              handle.createQuery(sql).bind("after", after).bind("upTo", upTo).bind("limit", limit);
          filter.rollout().ifPresent(wanted -> query.bind("rollout", wanted));
          filter.host().ifPresent(wanted -> query.bind("host", wanted));
          filter.audience().ifPresent(audience -> query.bind("team", audience.team()));
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
    return Sql.yes(jdbi, sql, Map.of("name", name));
  }

  /**
   * Forgets the oldest events, up to the first that is younger than {@code kept} or among the
   * newest; looks at most at {@code limit}. Only ever a beginning of the feed goes, so that one
   * number says what is left. Subscriptions keep how many went of their team's that they had not
   * acknowledged.
   *
   * @return how many went
   */
  int prune(Duration kept, int newest, int limit) {
    return Sql.one(
        jdbi,
        Integer.class,
        """
        WITH oldest AS (SELECT number, at FROM events
                        WHERE number IS NOT NULL ORDER BY number LIMIT :limit),
             young AS (SELECT min(number) AS number FROM oldest
                       WHERE at >= clock_timestamp() - make_interval(secs => :kept)),
             gone AS (DELETE FROM events
                      WHERE number <= (SELECT max(number) FROM oldest)
                        AND number < COALESCE((SELECT number FROM young), number + 1)
                        AND event_place(number) <= (SELECT event_place(max(number)) FROM events) - :newest
                      RETURNING number, at, owners),
             missed AS (SELECT s.team, s.name, count(*) AS events, max(g.number) AS upto,
                               min(g.at) AS earliest, max(g.at) AS latest
                        FROM gone g JOIN subscriptions s
                          ON g.number > s.acknowledged AND jsonb_exists(g.owners, s.team)
                        GROUP BY s.team, s.name),
             noted AS (UPDATE subscriptions s
                       SET lost = s.lost + m.events, lost_upto = m.upto,
                           lost_from = LEAST(s.lost_from, m.earliest),
                           lost_to = GREATEST(s.lost_to, m.latest)
                       FROM missed m
                       WHERE (s.team, s.name) = (m.team, m.name) AND s.acknowledged < m.upto)
        SELECT count(*) FROM gone
        """,
        Map.of(
            "limit", limit,
            "kept", kept.toMillis() / 1000.0,
            "newest", newest));
  }

  private static FeedEvent event(ResultSet row) throws SQLException {
    return new FeedEvent(
        row.getLong("number"),
        row.getTimestamp("at").toInstant(),
        row.getString("kind"),
        Optional.ofNullable(row.getString("rollout")),
        Optional.ofNullable(row.getString("host")),
        row.getString("data"),
        owners(row.getString("owners")));
  }

  private static Map<String, List<String>> owners(@Nullable String json) {
    Map<String, List<String>> owners = new HashMap<>();
    if (json != null) {
      Json.readTree(json)
          .forEach(
              (team, applications) ->
                  owners.put(
                      team, ((List<?>) applications).stream().map(String::valueOf).toList()));
    }
    return owners;
  }
}
