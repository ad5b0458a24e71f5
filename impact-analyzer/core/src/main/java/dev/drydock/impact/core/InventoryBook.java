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
 * {@link Inventory} whenever one is wanted. What it costs goes by what changed since the last one,
 * and by the instances of the applications that were touched. Confined to one thread at a time.
 *
 * <p>Property: the inventory is the one that {@link Inventory#of} makes of the newest state of
 * every host and instance, in whatever order and how often they were told.
 */
public final class InventoryBook {
  private final Map<String, Instance> newest = new HashMap<>();
  private final Map<String, List<Instance>> toHost = new HashMap<>();
  private final Map<String, List<Instance>> toApplication = new HashMap<>();
  private final Set<Instance> replaced = Collections.newSetFromMap(new IdentityHashMap<>());
  private Inventory last = Inventory.EMPTY;

  /** The host is like this now. */
  public void put(FleetHost host) {
    last = new Inventory(last.hosts().plus(host.name(), host), last.byHost(), last.byApplication());
  }

  /** The instance is like this now; one that vanished is left out from now on. */
  public void put(Instance instance) {
    Instance before =
        instance.vanished() ? newest.remove(instance.id()) : newest.put(instance.id(), instance);
    if (before != null) {
      replaced.add(before);
      added(toHost, before.host());
      added(toApplication, before.application());
    }
    if (!instance.vanished()) {
      added(toHost, instance.host()).add(instance);
      added(toApplication, instance.application()).add(instance);
    }
  }

  /** What comes to a host or an application; asking for it notes that it changes. */
  private static List<Instance> added(Map<String, List<Instance>> to, String name) {
    return to.computeIfAbsent(name, _ -> new ArrayList<>());
  }

  /** Everything as it is now. */
  public Inventory inventory() {
    last =
        new Inventory(
            last.hosts(),
            merged(last.byHost(), toHost),
            merged(last.byApplication(), toApplication));
    toHost.clear();
    toApplication.clear();
    replaced.clear();
    return last;
  }

  private PMap<String, List<Instance>> merged(
      PMap<String, List<Instance>> before, Map<String, List<Instance>> added) {
    PMap<String, List<Instance>> merged = before;
    for (Map.Entry<String, List<Instance>> entry : added.entrySet()) {
      String key = entry.getKey();
      List<Instance> now = merged(before.getOrDefault(key, List.of()), entry.getValue());
      merged = now.isEmpty() ? merged.minus(key) : merged.plus(key, now);
    }
    return merged;
  }

  /** Both in the order of ids, without what was replaced. */
  private List<Instance> merged(List<Instance> before, List<Instance> added) {
    added.removeIf(replaced::contains);
    added.sort(Comparator.comparing(Instance::id));
    Instance[] merged = new Instance[before.size() + added.size()];
    int size = 0;
    int next = 0;
    for (Instance instance : before) {
      if (replaced.contains(instance)) {
        continue;
      }
      while (next < added.size() && added.get(next).id().compareTo(instance.id()) < 0) {
        merged[size++] = added.get(next++);
      }
      merged[size++] = instance;
    }
    while (next < added.size()) {
      merged[size++] = added.get(next++);
    }
    return List.of(Arrays.copyOf(merged, size));
  }
}
