package dev.drydock.auditor;

import dev.drydock.auditor.core.AuditedRollout;
import dev.drydock.auditor.core.LockEntry;
import dev.drydock.auditor.core.LogPage;
import dev.drydock.auditor.core.LoggedHostUpgrade;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/**
 * Reads the logs of a rollout from PostgreSQL, page by page. All of it in the transaction of the
 * handle, which should see one moment: the logs are written while they are read.
 */
final class LogReader {
  private static final int HOSTS_AT_ONCE = 200;
  private static final String FORGOTTEN = "the first events of the rollout are not kept any more";

  private final Handle handle;
  private final LogRows rows;

  LogReader(Handle handle) {
    this.handle = handle;
    this.rows = new LogRows(handle);
  }

  /** The rollout with what is missing of its logs; empty if there is none. */
  Optional<AuditedRollout> rollout(String id) {
    return rollout(id, submitted(id), () -> eventGaps(id));
  }

  /**
   * The same for who judges some of its hosts: it was not looked for lost events in all the feed.
   */
  Optional<AuditedRollout> rolloutInPart(String id) {
    boolean kept =
        handle
            .createQuery(
                "SELECT EXISTS (SELECT FROM events WHERE rollout = :id AND kind = 'RolloutCreated')")
            .bind("id", id)
            .mapTo(Boolean.class)
            .one();
    return rollout(id, Optional.empty(), () -> kept ? List.of() : List.of(FORGOTTEN));
  }

  private Optional<AuditedRollout> rollout(
      String id, Optional<Set<String>> submitted, Supplier<List<String>> eventGaps) {
    return handle
        .createQuery(
            """
            SELECT created_at, ended_at, clock_timestamp() AS now,
                   (SELECT min(id) FROM events WHERE rollout = r.id AND kind = 'RolloutCreated') AS created
            FROM rollouts r WHERE id = :id
            """)
        .bind("id", id)
        .map(
            (row, _) -> {
              Instant createdAt = row.getTimestamp("created_at").toInstant();
              long created = row.getLong("created");
              LogGaps gaps = new LogGaps(handle, createdAt, created);
              return new AuditedRollout(
                  id,
                  createdAt,
                  row.getTimestamp("ended_at") != null,
                  submitted,
                  Stream.concat(eventGaps.get().stream(), gaps.restoresOfRows().stream()).toList(),
                  gaps.locks(),
                  gaps.times(),
                  created == 0 ? OptionalLong.empty() : OptionalLong.of(created),
                  row.getTimestamp("now").toInstant());
            })
        .findOne();
  }

  private Optional<Set<String>> submitted(String rollout) {
    List<String> hosts =
        handle
            .createQuery(
                """
                SELECT jsonb_array_elements_text(created.data->'hosts') FROM (
                  SELECT data FROM events WHERE rollout = :id AND kind = 'RolloutCreated'
                  ORDER BY number LIMIT 1) created
                """)
            .bind("id", rollout)
            .mapTo(String.class)
            .list();
    return hosts.isEmpty() ? Optional.empty() : Optional.of(new HashSet<>(hosts));
  }

  /** Places have no gaps, and only ever a beginning of the feed is forgotten. */
  private List<String> eventGaps(String rollout) {
    return handle
        .createQuery(
            """
            SELECT min(e.number) AS low, count(*) AS kept,
                   event_place(max(e.number)) - event_place(min(e.number)) + 1 AS given
            FROM events e,
              (SELECT number FROM events WHERE rollout = :id AND kind = 'RolloutCreated'
               ORDER BY number LIMIT 1) created
            WHERE e.number >= created.number
            """)
        .bind("id", rollout)
        .map(
            (row, _) -> {
              long kept = row.getLong("kept");
              if (kept == 0) {
                return Optional.of(FORGOTTEN);
              }
              long lost = row.getLong("given") - kept;
              return lost == 0
                  ? Optional.<String>empty()
                  : Optional.of("%d events since the rollout was created are gone".formatted(lost));
            })
        .one()
        .stream()
        .toList();
  }

  /** Gives all pages of the rollout, in the order of its hosts. */
  void pages(String rollout, Consumer<LogPage> look) {
    int after = Integer.MIN_VALUE;
    boolean more = true;
    while (more) {
      LogRows.Hosts hosts = rows.hosts(rollout, after, HOSTS_AT_ONCE);
      more = hosts.upgrades().size() == HOSTS_AT_ONCE;
      after = hosts.last();
      if (!hosts.upgrades().isEmpty()) {
        look.accept(page(rollout, hosts.upgrades()));
      }
    }
  }

  /**
   * What was logged of these hosts of the rollout, and of those that were ever granted with them.
   */
  LogPage ofHosts(String rollout, Set<String> hosts) {
    Set<String> together = new HashSet<>(hosts);
    together.addAll(rows.grantedWith(rollout, hosts));
    return page(rollout, rows.hosts(rollout, together));
  }

  private LogPage page(String rollout, List<LoggedHostUpgrade> upgrades) {
    List<String> judged = upgrades.stream().map(LoggedHostUpgrade::host).toList();
    var grants = rows.grants(rollout, judged);
    List<String> ids = grants.stream().map(grant -> grant.id()).toList();
    Set<String> hosts = new LinkedHashSet<>(judged);
    grants.forEach(grant -> hosts.addAll(grant.hosts()));
    List<LockEntry> locks = rows.locks(hosts);
    return new LogPage(
        upgrades,
        grants,
        rows.checks(ids),
        rows.jobs(ids),
        rows.hooks(ids),
        rows.events(rollout, hosts),
        locks,
        rows.changes(
            locks.stream().flatMap(entry -> entry.rollout().stream()).collect(Collectors.toSet()),
            hosts));
  }
}
