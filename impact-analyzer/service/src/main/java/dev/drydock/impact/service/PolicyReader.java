package dev.drydock.impact.service;

import dev.drydock.impact.service.PolicyRows.InForce;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Query;

/**
 * The policies in force, read from the store each time: they must never be older than the decision
 * they serve. Only which versions are in force is asked each time: a version never changes. Safe
 * for use by many threads.
 */
public final class PolicyReader {
  private final Jdbi jdbi;

  /** What was read last: it stands while the same versions are in force. */
  private volatile PolicyTerms last = PolicyTerms.NONE;

  PolicyReader(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** What the policies in force say, read over a connection of its own. */
  public PolicyTerms now() {
    return jdbi.withHandle(this::in);
  }

  /**
   * What the policies in force say, in the view of the handle's transaction; the same object as
   * before when no version changed. A version that cannot be read, for example because a newer
   * program wrote it, takes only its own applications along.
   */
  public PolicyTerms in(Handle handle) {
    List<InForce> inForce = PolicyRows.inForce(handle);
    PolicyTerms before = last;
    if (before.of(inForce)) {
      return before;
    }
    PolicyTerms read = before.with(inForce, PolicyRows.texts(handle, before.unknown(inForce)));
    last = read;
    return read;
  }

  /**
   * Applications with an instance on each of {@code hosts} but no policy: Drydock would never be
   * granted such a host. Hosts without such applications are left out.
   */
  public SortedMap<String, SortedSet<String>> applicationsWithoutPolicy(Collection<String> hosts) {
    return jdbi.withHandle(
        handle ->
            byHost(
                handle
                    .createQuery(
                        """
                        SELECT DISTINCT i.host, i.application AS found FROM instances i
                        WHERE i.host = ANY (:hosts) AND i.vanished_at IS NULL
                          AND NOT EXISTS (SELECT FROM policy_applications a
                                          WHERE a.application = i.application)
                        """)
                    .bindArray("hosts", String.class, hosts)));
  }

  /**
   * Policies of applications on each of {@code hosts} that do not let it be upgraded by a mode.
   * Hosts that may be are left out. A policy that nobody can read forbids no mode, but holds the
   * host.
   */
  public SortedMap<String, SortedSet<String>> forbidding(Collection<String> hosts, String mode) {
    List<String> forbidding = now().forbidding(mode);
    return forbidding.isEmpty()
        ? new TreeMap<>()
        : jdbi.withHandle(
            handle ->
                byHost(
                    handle
                        .createQuery(
                            """
                            SELECT DISTINCT i.host, a.policy AS found
                            FROM instances i JOIN policy_applications a USING (application)
                            WHERE i.host = ANY (:hosts) AND i.vanished_at IS NULL
                              AND a.policy = ANY (:policies)
                            """)
                        .bindArray("hosts", String.class, hosts)
                        .bindArray("policies", String.class, forbidding)));
  }

  private static SortedMap<String, SortedSet<String>> byHost(Query query) {
    SortedMap<String, SortedSet<String>> found = new TreeMap<>();
    query
        .mapToMap(String.class)
        .forEach(
            row ->
                found.computeIfAbsent(row.get("host"), _ -> new TreeSet<>()).add(row.get("found")));
    return found;
  }
}
