package dev.drydock.orchestrator.store;

import dev.drydock.platform.store.Sql;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;

/** What rows say of holds, for who compares both. Safe for use by many threads. */
public final class OrphanRows {
  private final Jdbi jdbi;

  public OrphanRows(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** A host that a grant which is alive works on. */
  public record Worked(String grant, String host) {}

  /**
   * How far a grant came.
   *
   * @param state proposed, granted, ended or void
   * @param holdEnded whether etcd was known to have none of its holds any more
   */
  public record Course(String state, boolean holdEnded) {}

  /** Every host under way, but those that people bring back and the grantor has yet to lock. */
  public List<Worked> worked() {
    return Sql.list(
        jdbi,
        Worked.class,
        """
        SELECT u.grant_id AS "grant", u.host
        FROM grants g JOIN host_upgrades u ON u.grant_id = g.id
        WHERE g.state = 'granted' AND u.state = 'InProgress'
          AND NOT EXISTS (SELECT FROM impounds i
                          WHERE i.lock_id = g.id AND i.host = u.host
                            AND i.done_at IS NULL AND i.replaces IS NOT NULL)
        ORDER BY 1, 2
        """,
        Map.of());
  }

  /** The hosts under way of one grant. */
  public Set<String> worked(String grant) {
    return worked().stream()
        .filter(one -> one.grant().equals(grant))
        .map(Worked::host)
        .collect(Collectors.toSet());
  }

  /** Of these grants those that are known. */
  public Map<String, Course> courses(Collection<String> grants) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT id, state, hold_ended_at IS NOT NULL AS hold_ended FROM grants
                    WHERE id = ANY(:ids)
                    """)
                .bindArray("ids", String.class, List.copyOf(grants))
                .map(
                    (row, context) ->
                        Map.entry(
                            row.getString("id"),
                            new Course(row.getString("state"), row.getBoolean("hold_ended"))))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }
}
