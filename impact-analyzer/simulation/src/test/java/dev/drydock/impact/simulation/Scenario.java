package dev.drydock.impact.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/** A fleet, its policies and what is to be upgraded, drawn by chance. */
final class Scenario {
  /** The label by which domains are told apart. */
  static final String RACK = "rack";

  private static final double LARGE = 0.02;

  private final Agenda agenda;
  private final Random random;
  private final SimulatedFleet simulatedFleet;
  private final PolicyDraft draft;
  private final List<String> hosts = new ArrayList<>();
  private final Map<String, List<String>> byZone = new LinkedHashMap<>();
  private final Map<String, String> rackOf = new HashMap<>();
  private final Map<String, String> policies = new TreeMap<>();
  private final Map<String, Integer> mostDown = new TreeMap<>();
  private final boolean zones;

  Scenario(Agenda agenda, Random random, SimulatedFleet simulatedFleet, Season season) {
    this.agenda = agenda;
    this.random = random;
    this.simulatedFleet = simulatedFleet;
    draft = new PolicyDraft(agenda, season);
    boolean large = agenda.chance(LARGE);
    zones = agenda.chance(large ? 0.8 : 0.4);
    int sources = agenda.whole(1, 2);
    int zoneCount = large ? agenda.whole(5, 10) : agenda.whole(2, 5);
    int racks = agenda.whole(2, 5);
    int count = large ? agenda.whole(20, 40) : agenda.whole(5, 14);
    for (int i = 0; i < count; i++) {
      String name = "h" + i;
      String zone = "z" + i % zoneCount;
      String rack = "r" + i % racks;
      hosts.add(name);
      byZone.computeIfAbsent(zone, one -> new ArrayList<>()).add(name);
      rackOf.put(name, rack);
      boolean late = agenda.chance(0.02);
      simulatedFleet.addHost(
          name, "s" + i % sources, zone, late ? Optional.empty() : Optional.of(rack));
      if (late) {
        agenda.in(
            agenda.between(60, 900), () -> simulatedFleet.host(name).rack = Optional.of(rack));
      }
    }
    for (int i = 0; i < agenda.whole(2, large ? 3 : 5); i++) {
      application("a" + i);
    }
  }

  /** What somebody submits, with its batches: hosts that are taken together or not at all. */
  record Rollout(String name, int priority, double inSeconds, List<List<String>> batches) {}

  private void application(String name) {
    List<String> places = new ArrayList<>(hosts);
    Collections.shuffle(places, random);
    int count = agenda.whole(Math.min(3, places.size()), places.size());
    Map<String, Integer> perZone = new TreeMap<>();
    boolean sizes = agenda.chance(0.4);
    List<Integer> capacities = new ArrayList<>();
    Map<String, Set<String>> racks = new TreeMap<>();
    for (String host : places.subList(0, count)) {
      int capacity = sizes ? agenda.whole(1, 9) : 1;
      capacities.add(capacity);
      simulatedFleet.addInstance(name + "@" + host, name, capacity, host);
      perZone.merge(simulatedFleet.host(host).zone, 1, Integer::sum);
    }
    places.forEach(
        host ->
            racks
                .computeIfAbsent(simulatedFleet.host(host).zone, _ -> new HashSet<>())
                .add(rackOf.getOrDefault(host, "")));
    int most = zones ? Collections.max(perZone.values()) : 1;
    int mostRacks = zones ? racks.values().stream().mapToInt(Set::size).max().orElse(1) : 1;
    String policy = draft.policy(new PolicyDraft.Subject(name, capacities, most, mostRacks));
    if (agenda.chance(0.25)) {
      policy = with(policy, "controller: {topic: %s, timeout: 10s}".formatted(name));
      mostDown.put(name, most + agenda.whole(0, 1));
    }
    policies.put(name, policy);
  }

  List<String> hosts() {
    return List.copyOf(hosts);
  }

  /** By name. */
  Map<String, String> policies() {
    return Collections.unmodifiableMap(policies);
  }

  /** How many instances of an application its controller lets be down, by topic. */
  Map<String, Integer> mostDown() {
    return Collections.unmodifiableMap(mostDown);
  }

  /** The same policy, for as long as nothing of it may go down. */
  static String closed(String policy) {
    return with(policy, "maxUnavailable: 0");
  }

  private static String with(String policy, String rule) {
    return policy.replace("  capacity:\n", "  capacity:\n    - {%s}\n".formatted(rule));
  }

  /** Whole zones where zones are taken together, else single hosts; some are taken once more. */
  List<Rollout> rollouts() {
    List<List<String>> batches = new ArrayList<>();
    if (zones) {
      byZone.values().forEach(zone -> batches.add(List.copyOf(zone)));
    } else {
      hosts.forEach(host -> batches.add(List.of(host)));
    }
    Collections.shuffle(batches, random);
    List<Rollout> rollouts = new ArrayList<>();
    int parts = Math.min(batches.size(), agenda.chance(0.5) ? 1 : agenda.whole(2, 3));
    for (int i = 0; i < parts; i++) {
      List<List<String>> mine =
          batches.subList(i * batches.size() / parts, (i + 1) * batches.size() / parts);
      rollouts.add(rollout(i + 1, agenda.chance(0.7) ? 0 : agenda.between(0, 300), mine));
    }
    if (agenda.chance(0.3)) {
      List<List<String>> again = batches.subList(0, (batches.size() + 2) / 3);
      rollouts.add(rollout(parts + 1, agenda.between(100, 800), again));
    }
    return rollouts;
  }

  private Rollout rollout(int number, double inSeconds, List<List<String>> batches) {
    return new Rollout("r" + number, agenda.whole(0, 2), inSeconds, List.copyOf(batches));
  }
}
