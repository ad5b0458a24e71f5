package dev.drydock.impact.core;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The policies in force, by application.
 *
 * @param byApplication exactly one policy per application
 * @param unreadable applications whose stored policy could not be read, with the reason: nothing of
 *     them may go down, and no other application suffers
 */
public record Policies(Map<String, Policy> byApplication, Map<String, String> unreadable) {

  public Policies {
    byApplication = Map.copyOf(byApplication);
    unreadable = Map.copyOf(unreadable);
  }

  public Optional<Policy> of(String application) {
    return Optional.ofNullable(byApplication.get(application));
  }

  /** What the rules of one application need to be known. */
  public Facts facts(String application) {
    return of(application).stream()
        .flatMap(policy -> policy.rules().stream())
        .map(Rule::facts)
        .reduce(Facts.NONE, Facts::and);
  }

  /** What monitoring has to be asked for all of them. */
  public Set<Gate> gates() {
    return byApplication.keySet().stream()
        .flatMap(application -> facts(application).gates().stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Keys of the labels of hosts that rules of any of them look at, in order. */
  public List<String> labels() {
    return byApplication.keySet().stream()
        .flatMap(application -> facts(application).labels().stream())
        .distinct()
        .sorted()
        .toList();
  }

  /** Topics of the controllers of all of them. */
  public Set<String> controllers() {
    return byApplication.keySet().stream()
        .flatMap(application -> facts(application).controllers().stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Applications whose fault zones are taken all together or not at all. */
  public Set<String> zonesTogether() {
    return byApplication.entrySet().stream()
        .filter(entry -> entry.getValue().zonesTogether())
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }
}
