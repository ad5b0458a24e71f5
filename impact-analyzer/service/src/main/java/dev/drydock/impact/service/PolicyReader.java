package dev.drydock.impact.service;

import dev.drydock.impact.core.FailureBudget;
import dev.drydock.impact.core.Hook;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.LateDrain;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.impact.core.Policies;
import dev.drydock.impact.core.Policy;
import dev.drydock.impact.policy.Handling;
import dev.drydock.impact.policy.PolicyParser;
import dev.drydock.impact.policy.PolicyParser.Parsed;
import dev.drydock.impact.service.PolicyRows.InForce;
import dev.drydock.impact.service.PolicyRows.Version;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
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
  private volatile Read last = new Read(List.of(), Map.of(), new Policies(Map.of(), Map.of()));

  PolicyReader(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** What was read last: it stands while the same versions are in force. */
  private record Read(List<InForce> inForce, Map<Version, Parsed> parsed, Policies policies) {
    Handling handling(InForce policy) {
      return Objects.requireNonNull(parsed.get(policy.version())).handling();
    }
  }

  /**
   * All policies in force; the same object as before when no version changed. A version that cannot
   * be read, for example because a newer program wrote it, takes only its own applications along.
   */
  Policies read(Handle handle) {
    List<InForce> inForce = PolicyRows.inForce(handle);
    Read before = last;
    if (before.inForce().equals(inForce)) {
      return before.policies();
    }
    Map<Version, Parsed> parsed = parsed(handle, inForce, before.parsed());
    Map<String, Policy> byApplication = new HashMap<>();
    Map<String, String> unreadable = new HashMap<>();
    for (InForce policy : inForce) {
      Version version = policy.version();
      Parsed text = Objects.requireNonNull(parsed.get(version));
      for (String application : policy.applications()) {
        text.policy()
            .ifPresentOrElse(
                read -> byApplication.put(application, read.versioned(version.version())),
                () -> unreadable.put(application, why(version, text)));
      }
    }
    Policies policies = new Policies(byApplication, unreadable);
    last = new Read(inForce, parsed, policies);
    return policies;
  }

  private static Map<Version, Parsed> parsed(
      Handle handle, List<InForce> inForce, Map<Version, Parsed> before) {
    Map<Version, Parsed> parsed = new HashMap<>(before);
    List<Version> versions = inForce.stream().map(InForce::version).toList();
    parsed.keySet().retainAll(Set.copyOf(versions));
    PolicyRows.texts(handle, versions.stream().filter(v -> !parsed.containsKey(v)).toList())
        .forEach((version, yaml) -> parsed.put(version, PolicyParser.parse(yaml)));
    return parsed;
  }

  private static String why(Version version, Parsed text) {
    var fault = text.faults().getFirst();
    return "policy %s version %d, line %d: %s %s"
        .formatted(version.name(), version.version(), fault.line(), fault.path(), fault.message());
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
    Read now = now();
    List<String> forbidding =
        now.inForce().stream()
            .filter(policy -> !now.handling(policy).allows(mode))
            .map(policy -> policy.version().name())
            .toList();
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

  /**
   * How many hosts of a rollout may fail.
   *
   * @param applications what the policy is in force for
   */
  public record Failures(
      String policy, int version, List<String> applications, FailureBudget budget) {}

  /** Of the policies in force that say, by name. */
  public List<Failures> failures() {
    Read now = now();
    return now.inForce().stream().flatMap(one -> failures(now, one).stream()).toList();
  }

  private static Optional<Failures> failures(Read now, InForce policy) {
    Version version = policy.version();
    return now.handling(policy)
        .failure()
        .map(
            budget ->
                new Failures(version.name(), version.version(), policy.applications(), budget));
  }

  /**
   * What becomes of a host with these applications that is not drained in time: the most careful of
   * what their policies say. An application without a readable policy says nothing.
   */
  public LateDrain lateDrain(Set<String> applications) {
    Map<String, Handling> said = byApplication();
    return LateDrain.strictest(
        applications.stream()
            .map(application -> said.getOrDefault(application, Handling.NONE).lateDrain())
            .toList());
  }

  /** What a batch does when one of its hosts fails, by application; who is not named aborts. */
  public Map<String, OnHostFailure> onHostFailure() {
    Map<String, OnHostFailure> said = new HashMap<>();
    byApplication()
        .forEach(
            (application, handling) -> {
              if (handling.onHostFailure() != OnHostFailure.ABORT) {
                said.put(application, handling.onHostFailure());
              }
            });
    return said;
  }

  private Map<String, Handling> byApplication() {
    Read now = now();
    Map<String, Handling> said = new HashMap<>();
    for (InForce policy : now.inForce()) {
      Handling handling = now.handling(policy);
      policy.applications().forEach(application -> said.put(application, handling));
    }
    return said;
  }

  private Read now() {
    return jdbi.withHandle(
        handle -> {
          read(handle);
          return last;
        });
  }

  /**
   * The hooks of a policy in force.
   *
   * @param applications what the policy is in force for
   */
  public record Hooks(
      String policy, int version, String team, List<String> applications, List<Hook> hooks) {}

  /** Of the policies in force that have any, by name. */
  public List<Hooks> hooks() {
    Read now = now();
    return now.inForce().stream()
        .filter(policy -> !now.handling(policy).hooks().isEmpty())
        .map(policy -> hooks(policy, Objects.requireNonNull(now.parsed().get(policy.version()))))
        .toList();
  }

  private static Hooks hooks(InForce policy, Parsed parsed) {
    return new Hooks(
        policy.version().name(),
        policy.version().version(),
        parsed.policy().orElseThrow().team(),
        policy.applications(),
        parsed.handling().hooks());
  }

  /**
   * How long a phase of a host with these applications may take before its owners are told: the
   * shortest time a policy states. Empty if none does.
   *
   * @param phase in lower case, as policies name it
   */
  public Optional<Duration> phaseTimeout(String phase, Set<String> applications) {
    Map<String, Handling> said = byApplication();
    return applications.stream()
        .map(application -> said.getOrDefault(application, Handling.NONE).timeouts())
        .flatMap(timeouts -> Optional.ofNullable(timeouts.get(phase)).stream())
        .min(Duration::compareTo);
  }

  /**
   * What is tried on a host with these applications before it is quarantined: what all of their
   * policies want. An application without a readable policy wants nothing.
   */
  public Ladder ladder(Set<String> applications) {
    Map<String, Handling> said = byApplication();
    return Ladder.common(
        applications.stream()
            .map(application -> said.getOrDefault(application, Handling.NONE).ladder())
            .toList());
  }

  /**
   * The names of all checks that policies of these applications, which run on one host, want it to
   * pass after its update. An application without a policy wants none; one whose policy nobody can
   * read wants {@link #readable}, which no host passes.
   */
  public SortedSet<String> healthChecks(Handle handle, Set<String> applications) {
    read(handle);
    Read now = last;
    SortedSet<String> names = new TreeSet<>();
    for (InForce policy : now.inForce()) {
      if (policy.applications().stream().anyMatch(applications::contains)) {
        Parsed parsed = Objects.requireNonNull(now.parsed().get(policy.version()));
        names.addAll(parsed.handling().healthChecks());
        if (parsed.policy().isEmpty()) {
          names.add(readable(policy.version().name()));
        }
      }
    }
    return names;
  }

  /** What a host would have to pass that nobody can tell what it has to pass. */
  static String readable(String policy) {
    return "readable-policy-" + policy;
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
