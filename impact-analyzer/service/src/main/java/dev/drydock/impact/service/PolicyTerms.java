package dev.drydock.impact.service;

import dev.drydock.impact.core.DrainTerms;
import dev.drydock.impact.core.FailureBudget;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.impact.core.Policies;
import dev.drydock.impact.core.Policy;
import dev.drydock.impact.core.PolicyHook;
import dev.drydock.impact.policy.HostWorkPolicy;
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
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What the policies that are in force at one moment say. An application without a readable policy
 * says nothing. Immutable.
 */
public final class PolicyTerms {
  static final PolicyTerms NONE = new PolicyTerms(List.of(), Map.of());

  private final List<InForce> inForce;
  private final Map<Version, Parsed> parsed;
  private final Policies policies;
  private final Map<String, HostWorkPolicy> byApplication = new HashMap<>();

  private PolicyTerms(List<InForce> inForce, Map<Version, Parsed> parsed) {
    this.inForce = List.copyOf(inForce);
    this.parsed = Map.copyOf(parsed);
    Map<String, Policy> readable = new HashMap<>();
    Map<String, String> unreadable = new HashMap<>();
    for (InForce policy : inForce) {
      Parsed text = parsed(policy);
      int version = policy.version().version();
      for (String application : policy.applications()) {
        byApplication.put(application, text.handling());
        text.policy()
            .ifPresentOrElse(
                read -> readable.put(application, read.versioned(version)),
                () -> unreadable.put(application, why(policy.version(), text)));
      }
    }
    this.policies = new Policies(readable, unreadable);
  }

  private static String why(Version version, Parsed text) {
    var fault = text.faults().getFirst();
    return "policy %s version %d, line %d: %s %s"
        .formatted(version.name(), version.version(), fault.line(), fault.path(), fault.message());
  }

  /** Whether the same versions are in force for the same applications. */
  boolean of(List<InForce> versions) {
    return inForce.equals(versions);
  }

  /** The versions that are not among these. */
  Collection<Version> unknown(List<InForce> versions) {
    return versions.stream().map(InForce::version).filter(one -> !parsed.containsKey(one)).toList();
  }

  /**
   * What these versions say.
   *
   * @param texts those that are {@link #unknown}
   */
  PolicyTerms with(List<InForce> versions, Map<Version, String> texts) {
    Map<Version, Parsed> known = new HashMap<>(parsed);
    known.keySet().retainAll(versions.stream().map(InForce::version).toList());
    texts.forEach((version, yaml) -> known.put(version, PolicyParser.parse(yaml)));
    return new PolicyTerms(versions, known);
  }

  private Parsed parsed(InForce policy) {
    return Objects.requireNonNull(parsed.get(policy.version()));
  }

  private HostWorkPolicy handling(InForce policy) {
    return parsed(policy).handling();
  }

  private Stream<HostWorkPolicy> of(Set<String> applications) {
    return applications.stream()
        .map(application -> byApplication.getOrDefault(application, HostWorkPolicy.NONE));
  }

  /** The rules about what may be down, by application. */
  Policies policies() {
    return policies;
  }

  /** Names of the policies that do not let hosts be upgraded by a mode. */
  List<String> forbidding(String mode) {
    return inForce.stream()
        .filter(policy -> !handling(policy).allows(mode))
        .map(policy -> policy.version().name())
        .toList();
  }

  /**
   * How many hosts of a rollout may fail.
   *
   * @param applications what the policy is in force for
   */
  public record Failures(
      String policy, int version, List<String> applications, FailureBudget budget) {}

  /** The failure budgets of the policies that have one, by the name of the policy. */
  public List<Failures> failures() {
    return inForce.stream().flatMap(policy -> failures(policy).stream()).toList();
  }

  private Optional<Failures> failures(InForce policy) {
    Version version = policy.version();
    return handling(policy)
        .failure()
        .map(
            budget ->
                new Failures(version.name(), version.version(), policy.applications(), budget));
  }

  /** What holds of draining a host with these applications. */
  public DrainTerms drain(Set<String> applications) {
    return policies.drain(applications);
  }

  /**
   * What a batch does when one of its hosts fails, by application. A batch aborts for an
   * application that is not named.
   */
  public Map<String, OnHostFailure> onHostFailure() {
    Map<String, OnHostFailure> said = new HashMap<>();
    byApplication.forEach((application, says) -> said.put(application, says.onHostFailure()));
    said.values().removeIf(failure -> failure == OnHostFailure.ABORT);
    return said;
  }

  /**
   * The hooks of a policy.
   *
   * @param applications what the policy is in force for
   */
  public record Hooks(
      String policy, int version, String team, List<String> applications, List<PolicyHook> hooks) {}

  /** The hooks of the policies that have any, by the name of the policy. */
  public List<Hooks> hooks() {
    return inForce.stream()
        .filter(policy -> !handling(policy).hooks().isEmpty())
        .map(this::hooks)
        .toList();
  }

  private Hooks hooks(InForce policy) {
    return new Hooks(
        policy.version().name(),
        policy.version().version(),
        parsed(policy).policy().orElseThrow().team(),
        policy.applications(),
        handling(policy).hooks());
  }

  /**
   * How long a phase of a host with these applications may take before its owners are told: the
   * shortest time a policy states. Empty if none does.
   *
   * @param phase in lower case, as policies name it
   */
  public Optional<Duration> phaseTimeout(String phase, Set<String> applications) {
    return of(applications)
        .flatMap(says -> Optional.ofNullable(says.timeouts().get(phase)).stream())
        .min(Duration::compareTo);
  }

  /**
   * What is tried on a host with these applications before it is quarantined: what all of their
   * policies want.
   */
  public Ladder ladder(Set<String> applications) {
    return Ladder.common(of(applications).map(HostWorkPolicy::ladder).toList());
  }

  /**
   * The names of all checks that policies of these applications, which run on one host, want it to
   * pass after its update. An application without a policy wants none; one whose policy nobody can
   * read wants {@link #readable}, which no host passes.
   */
  public SortedSet<String> healthChecks(Set<String> applications) {
    SortedSet<String> names = new TreeSet<>();
    for (InForce policy : inForce) {
      if (policy.applications().stream().anyMatch(applications::contains)) {
        names.addAll(handling(policy).healthChecks());
        if (parsed(policy).policy().isEmpty()) {
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
    return policies.zonesTogether();
  }
}
