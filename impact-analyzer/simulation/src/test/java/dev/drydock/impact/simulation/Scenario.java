package dev.drydock.impact.simulation;

import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** A fleet, its policies and what is to be upgraded, drawn by chance. */
final class Scenario {
  private final Agenda agenda;
  private final Random random;
  private final World world;
  private final List<String> hosts = new ArrayList<>();
  private final Map<String, List<String>> byZone = new LinkedHashMap<>();
  private final Map<String, String> policies = new TreeMap<>();
  private final Map<String, Integer> mostDown = new TreeMap<>();
  private final boolean zones;

  Scenario(Agenda agenda, Random random, World world) {
    this.agenda = agenda;
    this.random = random;
    this.world = world;
    zones = agenda.chance(0.4);
    int sources = agenda.whole(1, 2);
    int zoneCount = agenda.whole(2, 5);
    for (int i = 0; i < agenda.whole(5, 14); i++) {
      String name = "h" + i;
      String zone = "z" + i % zoneCount;
      hosts.add(name);
      byZone.computeIfAbsent(zone, one -> new ArrayList<>()).add(name);
      world.addHost(name, "s" + i % sources, zone);
    }
    for (int i = 0; i < agenda.whole(2, 5); i++) {
      application("a" + i);
    }
  }

  private void application(String name) {
    List<String> places = new ArrayList<>(hosts);
    Collections.shuffle(places, random);
    int count = agenda.whole(Math.min(3, places.size()), places.size());
    Map<String, Integer> perZone = new TreeMap<>();
    boolean sizes = agenda.chance(0.4);
    List<Integer> capacities = new ArrayList<>();
    for (String host : places.subList(0, count)) {
      int capacity = sizes ? agenda.whole(1, 9) : 1;
      capacities.add(capacity);
      world.addInstance(name + "@" + host, name, capacity, host);
      perZone.merge(world.host(host).zone, 1, Integer::sum);
    }
    int most = zones ? Collections.max(perZone.values()) : 1;
    policies.put(name, policy(name, count, most, capacities));
  }

  /**
   * Mostly one that lets the largest batch pass.
   *
   * @param most instances in the largest batch
   * @param capacities of all instances
   */
  private String policy(String name, int count, int most, List<Integer> capacities) {
    List<String> rules = new ArrayList<>();
    if (capacities.stream().anyMatch(units -> units > 1)) {
      rules.add("minAvailable: {capacity: %s}".formatted(least(most, capacities)));
    }
    int spare = agenda.chance(0.05) ? most - 1 : most + agenda.whole(0, 1);
    if (agenda.chance(0.6)) {
      rules.add("maxZonesInFlight: " + agenda.whole(1, 2));
    }
    if (agenda.chance(0.3)) {
      rules.add("minAvailable: " + Math.max(0, count - most - 1));
    }
    int percent = Math.min(100, (100 * spare + count - 1) / count);
    rules.add("maxUnavailable: " + (agenda.chance(0.5) ? percent + "%" : "" + spare));
    if (agenda.chance(0.25)) {
      rules.add("controller: {topic: %s, timeout: 10s}".formatted(name));
      mostDown.put(name, most + agenda.whole(0, 1));
    }
    StringBuilder spec = new StringBuilder();
    spec.append("apiVersion: drydock.dev/v1\nkind: UpgradePolicy\n");
    spec.append("metadata: {name: %s, team: team}\n".formatted(name));
    spec.append("spec:\n  applications: [%s]\n  capacity:\n".formatted(name));
    rules.forEach(rule -> spec.append("    - {%s}\n".formatted(rule)));
    boolean share = rules.getFirst().endsWith("%}");
    if (!share && agenda.chance(0.3)) {
      spec.append("  desired: %d\n".formatted(count));
    }
    spec.append("  health: {maxAge: %ds}\n".formatted(agenda.whole(20, 60)));
    if (agenda.chance(0.2)) {
      LocalDateTime from = LocalDateTime.ofInstant(agenda.now(), ZoneOffset.UTC);
      from = from.truncatedTo(ChronoUnit.MINUTES).plusMinutes(agenda.whole(2, 15));
      LocalDateTime to = from.plusMinutes(agenda.whole(2, 10));
      spec.append(
          "  blackouts:\n    - {timezone: UTC, from: %s, to: %s, reason: sale}\n"
              .formatted(from, to));
      spec.append("  expectedDuration: 5m\n");
    }
    return spec.toString();
  }

  /** What is left with so many of the largest taken, and a little less; in units or as a share. */
  private String least(int most, List<Integer> capacities) {
    List<Integer> largest = new ArrayList<>(capacities);
    largest.sort(Collections.reverseOrder());
    int all = largest.stream().mapToInt(units -> units).sum();
    int batch = largest.stream().limit(most).mapToInt(units -> units).sum();
    int least = Math.max(1, all - batch - agenda.whole(0, 3));
    return agenda.chance(0.5) ? "" + least : Math.max(1, 100 * least / all) + "%";
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
    return policy.replace("  capacity:\n", "  capacity:\n    - {maxUnavailable: 0}\n");
  }

  /** Rollouts with their batches: whole zones where zones are taken together, else single hosts. */
  Map<String, List<List<String>>> rollouts() {
    List<List<String>> batches = new ArrayList<>();
    if (zones) {
      byZone.values().forEach(zone -> batches.add(List.copyOf(zone)));
    } else {
      hosts.forEach(host -> batches.add(List.of(host)));
    }
    Collections.shuffle(batches, random);
    int first = agenda.chance(0.5) ? batches.size() : batches.size() / 2;
    Map<String, List<List<String>>> rollouts = new TreeMap<>();
    rollouts.put("r1", List.copyOf(batches.subList(0, first)));
    if (first < batches.size()) {
      rollouts.put("r2", List.copyOf(batches.subList(first, batches.size())));
    }
    return rollouts;
  }
}
