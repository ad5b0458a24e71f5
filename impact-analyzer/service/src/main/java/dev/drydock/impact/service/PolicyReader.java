package dev.drydock.impact.service;

import dev.drydock.impact.core.Policies;
import dev.drydock.impact.core.Policy;
import dev.drydock.impact.policy.PolicyParser;
import dev.drydock.impact.policy.PolicyParser.Parsed;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * The policies in force, read from the store each time: they must never be older than the decision
 * they serve. Only the reading of a version's text is remembered, because a version never changes.
 * Safe for use by many threads.
 */
public final class PolicyReader {
  private final Jdbi jdbi;
  private final Map<Version, Parsed> parsed = new ConcurrentHashMap<>();

  PolicyReader(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  private record Version(String name, int version) {}

  /**
   * All policies in force. A version that cannot be read, for example because a newer program wrote
   * it, takes only its own applications along.
   */
  Policies read(Handle handle) {
    List<StoredPolicy> stored = PolicyRows.all(handle);
    parsed.keySet().retainAll(stored.stream().map(PolicyReader::version).toList());
    Map<String, Policy> byApplication = new HashMap<>();
    Map<String, String> unreadable = new HashMap<>();
    for (StoredPolicy policy : stored) {
      Parsed text = parsed.computeIfAbsent(version(policy), _ -> PolicyParser.parse(policy.yaml()));
      for (String application : policy.applications()) {
        text.policy()
            .ifPresentOrElse(
                read -> byApplication.put(application, read.versioned(policy.version())),
                () -> unreadable.put(application, why(policy, text)));
      }
    }
    return new Policies(byApplication, unreadable);
  }

  private static Version version(StoredPolicy policy) {
    return new Version(policy.name(), policy.version());
  }

  private static String why(StoredPolicy policy, Parsed text) {
    var fault = text.faults().getFirst();
    return "policy %s version %d, line %d: %s %s"
        .formatted(policy.name(), policy.version(), fault.line(), fault.path(), fault.message());
  }

  /**
   * Applications with an instance on each of {@code hosts} but no policy: Drydock would never be
   * granted such a host. Hosts without such applications are left out.
   */
  public SortedMap<String, SortedSet<String>> applicationsWithoutPolicy(Collection<String> hosts) {
    SortedMap<String, SortedSet<String>> found = new TreeMap<>();
    jdbi.useHandle(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT DISTINCT i.host, i.application FROM instances i
                    WHERE i.host = ANY (:hosts) AND i.vanished_at IS NULL
                      AND NOT EXISTS (SELECT FROM policy_applications a
                                      WHERE a.application = i.application)
                    """)
                .bind("hosts", hosts.toArray(new String[0]))
                .mapToMap(String.class)
                .forEach(
                    row ->
                        found
                            .computeIfAbsent(row.get("host"), _ -> new TreeSet<>())
                            .add(row.get("application"))));
    return found;
  }

  /** Applications whose fault zones are taken all together or not at all. */
  public Set<String> zonesTogether() {
    return jdbi.withHandle(this::read).zonesTogether();
  }

  /**
   * How long draining a host with these applications may take. They drain at the same time, and
   * each has the time its team gave it: the longest decides. An application without a readable
   * policy has the default.
   */
  public Duration drainTimeout(Set<String> applications) {
    Policies policies = jdbi.withHandle(this::read);
    return applications.stream()
        .map(
            application ->
                policies
                    .of(application)
                    .map(Policy::drainTimeout)
                    .orElse(Policy.DEFAULT_DRAIN_TIMEOUT))
        .max(Duration::compareTo)
        .orElse(Policy.DEFAULT_DRAIN_TIMEOUT);
  }
}
