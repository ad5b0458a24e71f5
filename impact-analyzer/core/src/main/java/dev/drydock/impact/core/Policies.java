package dev.drydock.impact.core;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The policies in force, by application. Immutable; what the rules of all need is gathered when
 * somebody first asks.
 */
public final class Policies {
  private final Map<String, Policy> byApplication;
  private final Map<String, String> unreadable;
  private volatile @Nullable RuleInputs ruleInputs;
  private volatile @Nullable Map<String, Duration> past;

  /**
   * These and no others.
   *
   * @param byApplication exactly one policy per application
   * @param unreadable applications whose stored policy could not be read, with the reason: nothing
   *     of them may go down, and no other application suffers
   */
  public Policies(Map<String, Policy> byApplication, Map<String, String> unreadable) {
    this.byApplication = Map.copyOf(byApplication);
    this.unreadable = Map.copyOf(unreadable);
  }

  public Map<String, Policy> byApplication() {
    return byApplication;
  }

  /** Why nobody could read the policy, by application. */
  public Map<String, String> unreadable() {
    return unreadable;
  }

  public Optional<Policy> of(String application) {
    return Optional.ofNullable(byApplication.get(application));
  }

  /**
   * What holds of draining a host on which these applications run. One without a policy that can be
   * read has the default.
   */
  public DrainTerms drain(Collection<String> applications) {
    return DrainTerms.together(
        applications.stream()
            .map(application -> of(application).map(DrainTerms::of).orElse(DrainTerms.UNSAID))
            .toList());
  }

  /** What is in force once this one is, in place of those of its name. */
  Policies with(Policy wanted) {
    Map<String, Policy> then = new HashMap<>(byApplication);
    then.values().removeIf(policy -> policy.name().equals(wanted.name()));
    Map<String, String> unread = new HashMap<>(unreadable);
    for (String application : wanted.applications()) {
      then.put(application, wanted);
      unread.remove(application);
    }
    return new Policies(then, unread);
  }

  /**
   * The drain terms of hosts, in words, and on how many hosts each of them holds. A host without
   * applications is not drained.
   *
   * @param applications what runs on each host
   */
  public SortedMap<String, Integer> drains(Stream<? extends Set<String>> applications) {
    SortedMap<String, Integer> hosts = new TreeMap<>();
    applications
        .filter(some -> !some.isEmpty())
        .forEach(some -> hosts.merge(drain(some).says(), 1, Integer::sum));
    return hosts;
  }

  /** What the rules of one application need to be known. */
  RuleInputs facts(String application) {
    return of(application).stream()
        .flatMap(policy -> policy.rules().stream())
        .map(Rule::facts)
        .reduce(RuleInputs.NONE, RuleInputs::and);
  }

  /** What the rules of all of them need to be known. */
  private RuleInputs facts() {
    RuleInputs known = ruleInputs;
    if (known == null) {
      known =
          byApplication.keySet().stream().map(this::facts).reduce(RuleInputs.NONE, RuleInputs::and);
      ruleInputs = known;
    }
    return known;
  }

  /** How far back disruptions have to be known, by application; others need none. */
  public Map<String, Duration> past() {
    Map<String, Duration> known = past;
    if (known == null) {
      known =
          byApplication.keySet().stream()
              .filter(application -> facts(application).past().isPositive())
              .collect(
                  Collectors.toUnmodifiableMap(
                      application -> application, application -> facts(application).past()));
      past = known;
    }
    return known;
  }

  /** What monitoring has to be asked for all of them. */
  public Set<Gate> gates() {
    return facts().gates();
  }

  /** Keys of the labels of hosts that rules of any of them look at, in order. */
  public List<String> labels() {
    return facts().labels().stream().sorted().toList();
  }

  /** Topics of the controllers of all of them. */
  public Set<String> controllers() {
    return facts().controllers();
  }

  /** Applications whose fault zones are taken all together or not at all. */
  public Set<String> zonesTogether() {
    return byApplication.entrySet().stream()
        .filter(entry -> entry.getValue().zonesTogether())
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }
}
