package dev.drydock.impact.core;

import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Facts a rule needs that are dear to read for a whole fleet.
 *
 * @param labels keys of host labels
 * @param past how far back disruptions have to be known; zero when they are not needed
 * @param gates what monitoring has to be asked
 * @param controllers topics of controllers whose answers have to be known
 */
public record RuleInputs(
    Set<String> labels, Duration past, Set<Gate> gates, Set<String> controllers) {
  static final RuleInputs NONE = new RuleInputs(Set.of(), Duration.ZERO, Set.of(), Set.of());

  public RuleInputs {
    labels = Set.copyOf(labels);
    gates = Set.copyOf(gates);
    controllers = Set.copyOf(controllers);
  }

  static RuleInputs label(String key) {
    return new RuleInputs(Set.of(key), Duration.ZERO, Set.of(), Set.of());
  }

  static RuleInputs past(Duration past) {
    return new RuleInputs(Set.of(), past, Set.of(), Set.of());
  }

  static RuleInputs gate(Gate gate) {
    return new RuleInputs(Set.of(), Duration.ZERO, Set.of(gate), Set.of());
  }

  static RuleInputs controller(String topic) {
    return new RuleInputs(Set.of(), Duration.ZERO, Set.of(), Set.of(topic));
  }

  /** What one of both needs. */
  public RuleInputs and(RuleInputs other) {
    return new RuleInputs(
        both(labels, other.labels),
        past.compareTo(other.past) >= 0 ? past : other.past,
        both(gates, other.gates),
        both(controllers, other.controllers));
  }

  private static <T> Set<T> both(Set<T> some, Set<T> others) {
    return Stream.concat(some.stream(), others.stream()).collect(Collectors.toSet());
  }
}
