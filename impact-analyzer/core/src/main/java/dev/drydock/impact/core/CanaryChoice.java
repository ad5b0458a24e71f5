package dev.drydock.impact.core;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Chooses which hosts of a rollout go first.
 *
 * <ol>
 *   <li>A policy asks for the most cautious of each number among the policies it shares a host
 *       with.
 *   <li>Batches become canaries in the order of the plan until each policy has as many hosts as it
 *       asks for: first those in a fault zone that has no canary of it yet, unless a rule lets only
 *       so many zones or domains be in flight, when a second zone would have to wait for the first.
 *       One with something down is taken only where all others are not enough: it would prove
 *       nothing.
 *   <li>Who goes first is a canary of every policy on it that asks for canaries, and waits for
 *       none.
 * </ol>
 *
 * <p>Properties: pure and deterministic; a canary waits for no canary, so that no gate waits for
 * another; a policy without hosts that would wait has no gate.
 */
public final class CanaryChoice {
  private final Fleet fleet;
  private final Map<String, List<List<String>>> batchesOf = new TreeMap<>();
  private final Map<String, List<Policy>> onHost = new LinkedHashMap<>();
  private final SortedMap<String, Policy> policies = new TreeMap<>();
  private final Map<String, Canary> asked = new TreeMap<>();
  private final Set<String> first = new LinkedHashSet<>();

  private CanaryChoice(Fleet fleet, Policies policies, List<List<String>> batches) {
    this.fleet = fleet;
    for (List<String> batch : batches) {
      Set<String> names = new TreeSet<>();
      for (String host : batch) {
        List<Policy> asking = askingOn(host, policies);
        onHost.put(host, asking);
        asking.forEach(policy -> names.add(policy.name()));
      }
      names.forEach(name -> batchesOf.computeIfAbsent(name, _ -> new ArrayList<>()).add(batch));
    }
    for (List<Policy> together : onHost.values()) {
      together.stream()
          .flatMap(policy -> policy.canary().stream())
          .reduce(Canary::and)
          .ifPresent(
              canary ->
                  together.forEach(
                      policy -> {
                        this.policies.put(policy.name(), policy);
                        asked.merge(policy.name(), canary, Canary::and);
                      }));
    }
  }

  /** The gates of a rollout whose hosts are taken in these batches, by policy. */
  public static List<CanaryGate> of(Fleet fleet, Policies policies, List<List<String>> batches) {
    CanaryChoice choice = new CanaryChoice(fleet, policies, batches);
    choice.policies.values().forEach(choice::choose);
    return choice.policies.values().stream()
        .flatMap(policy -> choice.gate(policy).stream())
        .toList();
  }

  private List<Policy> askingOn(String host, Policies all) {
    return fleet.allocatedOn(host).stream()
        .flatMap(instance -> all.of(instance.application()).stream())
        .filter(policy -> policy.canary().isPresent())
        .collect(Collectors.toMap(Policy::name, policy -> policy, (a, b) -> a, TreeMap::new))
        .values()
        .stream()
        .toList();
  }

  private void choose(Policy policy) {
    Set<String> zones = new HashSet<>();
    hosts(policy, first).forEach(host -> zones.addAll(zones(policy, host)));
    boolean spread = policy.rules().stream().noneMatch(MaxDomainsInFlight.class::isInstance);
    for (List<String> batch : spread ? batches(policy) : List.<List<String>>of()) {
      Set<String> touched = new TreeSet<>();
      hosts(policy, batch).forEach(host -> touched.addAll(zones(policy, host)));
      if (enough(policy)) {
        return;
      }
      if (isUp(batch) && touched.stream().noneMatch(zones::contains)) {
        first.addAll(batch);
        zones.addAll(touched);
      }
    }
    List<List<String>> upFirst = new ArrayList<>(batches(policy));
    upFirst.sort(Comparator.comparing(batch -> !isUp(batch)));
    for (List<String> batch : upFirst) {
      if (enough(policy)) {
        return;
      }
      first.addAll(batch);
    }
  }

  private boolean isUp(List<String> batch) {
    return batch.stream()
        .flatMap(host -> fleet.allocatedOn(host).stream())
        .noneMatch(instance -> instance.health() == Health.UNHEALTHY);
  }

  private List<List<String>> batches(Policy policy) {
    return batchesOf.getOrDefault(policy.name(), List.of());
  }

  private boolean enough(Policy policy) {
    return hosts(policy, first).size() >= wanted(policy);
  }

  private int wanted(Policy policy) {
    return Optional.ofNullable(asked.get(policy.name())).map(Canary::hosts).orElse(0);
  }

  private List<String> hosts(Policy policy, Collection<String> among) {
    List<String> found = new ArrayList<>();
    for (String host : among) {
      if (onHost.getOrDefault(host, List.of()).stream()
          .anyMatch(on -> on.name().equals(policy.name()))) {
        found.add(host);
      }
    }
    return found;
  }

  private Set<String> zones(Policy policy, String host) {
    return fleet.allocatedOn(host).stream()
        .filter(instance -> policy.applications().contains(instance.application()))
        .map(instance -> instance.application() + " " + instance.zone())
        .collect(Collectors.toSet());
  }

  private Optional<CanaryGate> gate(Policy policy) {
    List<String> canaries = hosts(policy, first);
    Set<String> waiting = new LinkedHashSet<>();
    batches(policy).forEach(batch -> waiting.addAll(hosts(policy, batch)));
    waiting.removeAll(first);
    Canary canary = asked.get(policy.name());
    return waiting.isEmpty() || canary == null
        ? Optional.empty()
        : Optional.of(
            new CanaryGate(
                policy.name(),
                policy.version(),
                Set.copyOf(policy.applications()),
                canary,
                canaries,
                waiting));
  }
}
