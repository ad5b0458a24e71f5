package dev.drydock.impact.service;

import static java.util.stream.Collectors.toCollection;

import dev.drydock.impact.core.Calendar;
import dev.drydock.impact.core.CanaryGate;
import dev.drydock.impact.core.Fleet;
import dev.drydock.impact.core.FleetInstance;
import dev.drydock.impact.core.Policies;
import dev.drydock.impact.core.Policy;
import dev.drydock.impact.plan.Plan;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What becomes of hosts that somebody asks for.
 *
 * @param batches each host in one, together or not at all, in the order in which they are taken
 * @param infeasible by host, why rules could never let it go, or the batch it belongs to, whatever
 *     comes up, ends or passes; or why no grant takes its batch
 * @param canaries who goes first, by policy
 * @param plan when each is expected to begin and end
 * @param durations how long work on hosts is reckoned to take, and why, with the number of hosts
 * @param facts by which all this was said
 */
public record PlannedHosts(
    List<List<String>> batches,
    Map<String, List<String>> infeasible,
    List<CanaryGate> canaries,
    Plan plan,
    SortedMap<String, Integer> durations,
    Facts facts) {

  /**
   * What a plan is good for as long as it stays so.
   *
   * @param policies versions of those that apply on the hosts, by name
   * @param placement by host, what is allocated there: id, application, zone and capacity
   * @param windows windows and blackouts of those policies, by name
   * @param drains what holds of draining the hosts, in words, with the number of hosts
   */
  public record Facts(
      SortedMap<String, Integer> policies,
      SortedMap<String, List<String>> placement,
      SortedMap<String, String> windows,
      SortedMap<String, Integer> drains) {

    static Facts of(Fleet fleet, Policies inForce, Collection<String> hosts) {
      SortedMap<String, Integer> drains =
          inForce.drains(hosts.stream().map(host -> applications(fleet.allocatedOn(host))));
      Facts facts = new Facts(new TreeMap<>(), new TreeMap<>(), new TreeMap<>(), drains);
      for (String host : hosts) {
        List<FleetInstance> allocated = fleet.allocatedOn(host);
        facts.placement.put(host, allocated.stream().map(Facts::told).sorted().toList());
        applications(allocated).stream().flatMap(a -> inForce.of(a).stream()).forEach(facts::note);
      }
      return facts;
    }

    private static Set<String> applications(List<FleetInstance> allocated) {
      return allocated.stream().map(FleetInstance::application).collect(toCollection(TreeSet::new));
    }

    private static String told(FleetInstance fleetInstance) {
      return "%s (%s, zone %s%s)"
          .formatted(
              fleetInstance.id(),
              fleetInstance.application(),
              fleetInstance.zone().isEmpty() ? "unknown" : fleetInstance.zone(),
              fleetInstance.capacity() == 1
                  ? ""
                  : ", %d units".formatted(fleetInstance.capacity()));
    }

    private void note(Policy policy) {
      if (policies.putIfAbsent(policy.name(), policy.version()) == null) {
        policy.rules().stream()
            .filter(Calendar.class::isInstance)
            .forEach(calendar -> windows.put(policy.name(), calendar.toString()));
      }
    }
  }

  /**
   * What the judge could never grant, and batches that no grant could take. Of rules the judge
   * alone has a say, who grants by them.
   */
  static Map<String, List<String>> infeasible(
      Plan plan, int batchMost, Map<String, List<String>> byRules) {
    Map<String, List<String>> infeasible = new TreeMap<>(byRules);
    plan.infeasible().stream()
        .filter(batch -> batch.hosts().size() > batchMost)
        .forEach(batch -> batch.hosts().forEach(it -> infeasible.putIfAbsent(it, batch.reasons())));
    return infeasible;
  }
}
