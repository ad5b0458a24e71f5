package dev.drydock.impact.core;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Work on at most {@code max} domains at a time. A domain is in flight from the first instance
 * taken until all of it is up again (protocol P6): with 1, one is finished before the next. What is
 * not up for any other reason counts as well, and a quarantined host keeps its domain in flight;
 * the other hosts of that domain may go on.
 */
public record MaxDomainsInFlight(Domain domain, int max) implements Rule {
  public MaxDomainsInFlight {
    if (max < 1) {
      throw new IllegalArgumentException("at least one domain must be allowed, not " + max);
    }
  }

  @Override
  public RuleResult judge(ApplicationState state) {
    Map<FleetInstance, String> affected = new TreeMap<>(Comparator.comparing(FleetInstance::id));
    affected.putAll(state.notUp());
    state.taking().forEach(fleetInstance -> affected.putIfAbsent(fleetInstance, "taken"));
    Map<String, Map<FleetInstance, String>> inFlight = new TreeMap<>();
    for (Map.Entry<FleetInstance, String> entry : affected.entrySet()) {
      FleetInstance fleetInstance = entry.getKey();
      Optional<String> in = domain.of(fleetInstance, state.fleet());
      if (in.isEmpty()) {
        return RuleResult.of(false, missing(fleetInstance));
      }
      inFlight
          .computeIfAbsent(in.get(), _ -> new LinkedHashMap<>())
          .put(fleetInstance, entry.getValue());
    }
    Set<String> taken = taken(state);
    Map<String, Map<FleetInstance, String>> others = new TreeMap<>(inFlight);
    others.keySet().removeAll(taken);
    return RuleResult.of(
        inFlight.size() <= max,
        "allows %d in flight; this takes %s, beside it %s"
            .formatted(
                max,
                taken.isEmpty() ? "none" : String.join(", ", taken),
                others.isEmpty() ? "none" : shown(others)));
  }

  /** A host whose domain nobody knows may get its label. */
  @Override
  public Optional<String> never(ApplicationState state) {
    Set<String> taken = taken(state);
    return taken.size() <= max
        ? Optional.empty()
        : Optional.of("it takes %d at once: %s".formatted(taken.size(), String.join(", ", taken)));
  }

  @Override
  public RuleInputs facts() {
    return switch (domain) {
      case Domain.Zone() -> RuleInputs.NONE;
      case Domain.Label(String key) -> RuleInputs.label(key);
    };
  }

  private Set<String> taken(ApplicationState state) {
    return state.taking().stream()
        .flatMap(fleetInstance -> domain.of(fleetInstance, state.fleet()).stream())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private String missing(FleetInstance fleetInstance) {
    return switch (domain) {
      case Domain.Zone() -> "cannot be judged: %s has no zone".formatted(fleetInstance.id());
      case Domain.Label(String key) ->
          "cannot be judged: host %s of %s has no label %s"
              .formatted(fleetInstance.host(), fleetInstance.id(), key);
    };
  }

  private static String shown(Map<String, Map<FleetInstance, String>> inFlight) {
    return inFlight.entrySet().stream()
        .map(entry -> entry.getKey() + ": " + ApplicationState.names(entry.getValue()))
        .collect(Collectors.joining("; "));
  }

  @Override
  public String toString() {
    return switch (domain) {
      case Domain.Zone() -> "maxZonesInFlight " + max;
      case Domain.Label(String key) -> "maxDomainsInFlight " + max + " by " + key;
    };
  }
}
