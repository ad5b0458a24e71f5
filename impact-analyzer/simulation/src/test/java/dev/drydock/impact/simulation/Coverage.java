package dev.drydock.impact.simulation;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * How often each rule held somebody all by itself. A rule that never does is not checked, whatever
 * the verifier says of it.
 */
final class Coverage {
  static final String CANARY = "canary";
  static final String OPEN_VERDICT = "age of the open verdict";

  private static final List<String> RULES =
      List.of(
          "maxUnavailable",
          "minAvailable",
          OwnPolicy.UNITS,
          "maxZonesInFlight",
          "maxDomainsInFlight",
          "disruptionInterval",
          "disruptionRate",
          "controller",
          "windows",
          "blackouts",
          "gates",
          CANARY,
          OPEN_VERDICT);

  private final Map<String, Long> held = new TreeMap<>();

  /** Nothing but this rule said no. */
  synchronized void held(String rule) {
    held.merge(rule, 1L, Long::sum);
  }

  synchronized void add(Coverage other) {
    other.held.forEach((rule, count) -> held.merge(rule, count, Long::sum));
  }

  /** Rules that never held anybody. */
  synchronized List<String> missing() {
    return RULES.stream().filter(rule -> !held.containsKey(rule)).toList();
  }

  @Override
  public synchronized String toString() {
    return RULES.stream()
        .map(rule -> "%s %,d".formatted(rule, held.getOrDefault(rule, 0L)))
        .collect(Collectors.joining(", "));
  }
}
