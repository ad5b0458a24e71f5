package dev.drydock.impact.core;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.pcollections.PMap;

/**
 * Keeps the inventory while hosts and instances change: takes what became of each, and hands out an
 * {@link InventorySnapshot} whenever one is wanted. What it costs goes by what changed since the
 * last one, and by the instances of the applications that were touched. Confined to one thread at a
 * time.
 *
 * <p>Property: the inventory is the one that {@link InventorySnapshot#of} makes of the newest state
 * of every host and instance, in whatever order and how often they were told.
 */
public final class InventoryTracker {
  private final Map<String, FleetInstance> newest = new HashMap<>();
  private final Map<String, List<FleetInstance>> toHost = new HashMap<>();
  private final Map<String, List<FleetInstance>> toApplication = new HashMap<>();
  private final Set<FleetInstance> replaced = Collections.newSetFromMap(new IdentityHashMap<>());
  private InventorySnapshot last = InventorySnapshot.EMPTY;

  /** The host is like this now. */
  public void put(FleetHost host) {
    last =
        new InventorySnapshot(
            last.hosts().plus(host.name(), host), last.byHost(), last.byApplication());
  }

  /** The instance is like this now; one that vanished is left out from now on. */
  public void put(FleetInstance fleetInstance) {
    FleetInstance before =
        fleetInstance.vanished()
            ? newest.remove(fleetInstance.id())
            : newest.put(fleetInstance.id(), fleetInstance);
    if (before != null) {
      replaced.add(before);
      added(toHost, before.host());
      added(toApplication, before.application());
    }
    if (!fleetInstance.vanished()) {
      added(toHost, fleetInstance.host()).add(fleetInstance);
      added(toApplication, fleetInstance.application()).add(fleetInstance);
    }
  }

  /** What comes to a host or an application; asking for it notes that it changes. */
  private static List<FleetInstance> added(Map<String, List<FleetInstance>> to, String name) {
    return to.computeIfAbsent(name, _ -> new ArrayList<>());
  }

  /** Everything as it is now. */
  public InventorySnapshot inventory() {
    last =
        new InventorySnapshot(
            last.hosts(),
            merged(last.byHost(), toHost),
            merged(last.byApplication(), toApplication));
    toHost.clear();
    toApplication.clear();
    replaced.clear();
    return last;
  }

  private PMap<String, List<FleetInstance>> merged(
      PMap<String, List<FleetInstance>> before, Map<String, List<FleetInstance>> added) {
    PMap<String, List<FleetInstance>> merged = before;
    for (Map.Entry<String, List<FleetInstance>> entry : added.entrySet()) {
      String key = entry.getKey();
      List<FleetInstance> now = merged(before.getOrDefault(key, List.of()), entry.getValue());
      merged = now.isEmpty() ? merged.minus(key) : merged.plus(key, now);
    }
    return merged;
  }

  /** Both in the order of ids, without what was replaced. */
  private List<FleetInstance> merged(List<FleetInstance> before, List<FleetInstance> added) {
    added.removeIf(replaced::contains);
    added.sort(Comparator.comparing(FleetInstance::id));
    FleetInstance[] merged = new FleetInstance[before.size() + added.size()];
    int size = 0;
    int next = 0;
    for (FleetInstance fleetInstance : before) {
      if (replaced.contains(fleetInstance)) {
        continue;
      }
      while (next < added.size() && added.get(next).id().compareTo(fleetInstance.id()) < 0) {
        merged[size++] = added.get(next++);
      }
      merged[size++] = fleetInstance;
    }
    while (next < added.size()) {
      merged[size++] = added.get(next++);
    }
    return List.of(Arrays.copyOf(merged, size));
  }
}
