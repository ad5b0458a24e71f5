package dev.drydock.impact.plan;

import dev.drydock.impact.core.Disruption;
import dev.drydock.impact.core.Fleet;
import dev.drydock.impact.core.FleetInstance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An instance that was taken down before the plan begins, and counts in rules over time.
 *
 * @param host by number, where it is allocated now; -1 when it is nowhere any more
 * @param application by number
 * @param agoMillis how long before the plan begins it was taken down last
 */
public record PriorDisruption(int host, int application, long agoMillis) {

  /** What the view knows of, each instance once; the longest ago first. */
  public static List<PriorDisruption> of(Fleet fleet, CompactFleet compact) {
    List<PriorDisruption> all = new ArrayList<>();
    for (int application = 0; application < compact.applicationCount(); application++) {
      String name = compact.application(application);
      Map<String, Long> ago = new HashMap<>();
      for (Disruption past : fleet.disruptionsOf(name)) {
        ago.merge(past.instance(), Duration.between(past.at(), fleet.now()).toMillis(), Math::min);
      }
      Map<String, Integer> hosts = new HashMap<>();
      for (FleetInstance fleetInstance :
          ago.isEmpty() ? List.<FleetInstance>of() : fleet.allocatedTo(name)) {
        hosts.put(fleetInstance.id(), compact.hostNumber(fleetInstance.host()));
      }
      for (Map.Entry<String, Long> past : ago.entrySet()) {
        all.add(
            new PriorDisruption(
                hosts.getOrDefault(past.getKey(), -1), application, past.getValue()));
      }
    }
    all.sort(
        Comparator.comparingLong(PriorDisruption::agoMillis)
            .reversed()
            .thenComparingInt(PriorDisruption::application)
            .thenComparingInt(PriorDisruption::host));
    return all;
  }
}
