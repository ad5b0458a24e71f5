package dev.drydock.impact.plan;

import dev.drydock.impact.core.CanaryChoice;
import dev.drydock.impact.core.CanaryGate;
import dev.drydock.impact.core.Fleet;
import dev.drydock.impact.core.FleetHost;
import dev.drydock.impact.core.FleetInstance;
import dev.drydock.impact.core.Health;
import dev.drydock.impact.core.Policies;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The canaries that policies ask for, chosen before a plan is made: by the same choice as that of a
 * submission, so that the plan begins the others when the run will.
 */
public final class PolicyCanaries {
  private PolicyCanaries() {}

  /** Whether any policy asks for canaries; without one there is nothing to choose. */
  public static boolean wanted(Policies policies) {
    return policies.byApplication().values().stream().anyMatch(one -> one.canary().isPresent());
  }

  /** The batches of a plan in the order in which they are taken, those it leaves out last. */
  public static List<List<String>> batches(Collection<String> hosts, Plan plan) {
    List<List<String>> batches = new ArrayList<>();
    plan.steps().forEach(step -> batches.add(step.hosts()));
    plan.waiting().forEach(waiting -> batches.add(waiting.hosts()));
    plan.infeasible().forEach(never -> batches.add(never.hosts()));
    Set<String> known = new HashSet<>();
    batches.forEach(known::addAll);
    hosts.stream().filter(host -> !known.contains(host)).forEach(it -> batches.add(List.of(it)));
    return batches;
  }

  /** The gates of a fleet, known by its allocations alone: every instance counts as up. */
  public static List<CanaryGate> of(
      CompactFleet fleet, Policies policies, List<List<String>> batches) {
    List<FleetHost> hosts = new ArrayList<>();
    List<FleetInstance> instances = new ArrayList<>();
    for (int host : fleet.allHosts()) {
      String name = fleet.host(host);
      hosts.add(new FleetHost(name, "", false, 0, Map.of(), false));
      for (int at = fleet.firstInstance(host); at < fleet.firstInstance(host + 1); at++) {
        instances.add(
            new FleetInstance(
                "i" + at,
                fleet.application(fleet.applicationOf(at)),
                name,
                fleet.zoneOf(at) < 0 ? "" : fleet.zone(fleet.zoneOf(at)),
                1,
                Health.HEALTHY,
                0,
                Instant.EPOCH,
                false));
      }
    }
    Fleet everythingUp =
        new Fleet(Instant.EPOCH, Duration.ZERO, Map.of(), hosts, instances, List.of());
    return CanaryChoice.of(everythingUp, policies, batches);
  }

  /** What the gates come to in a plan. */
  public static List<PlannedRollout.Gate> gates(CompactFleet fleet, List<CanaryGate> gates) {
    return gates.stream()
        .map(
            gate ->
                new PlannedRollout.Gate(
                    "waits for canaries %s (policy %s)"
                        .formatted(String.join(", ", gate.canaries()), gate.policy()),
                    numbers(fleet, gate.canaries()),
                    numbers(fleet, gate.waiting()),
                    gate.canary().soak()))
        .toList();
  }

  private static int[] numbers(CompactFleet fleet, Collection<String> hosts) {
    return Arrays.stream(hosts.stream().mapToInt(fleet::hostNumber).toArray())
        .filter(number -> number >= 0)
        .toArray();
  }
}
