package dev.drydock.impact.core;

import java.util.Collection;
import java.util.List;
import org.pcollections.HashTreePMap;
import org.pcollections.PMap;

/**
 * All hosts, and the instances their schedulers still allocate on them, as reports and effects left
 * them: without locks, and without the time at which somebody looks. Immutable; an inventory and
 * the one made of it by {@link InventoryTracker} share whatever did not change.
 *
 * <p>Property: instances stand in the order of their ids, by whichever way they got there.
 *
 * @param hosts by name, vanished ones included
 * @param byHost instances, vanished ones left out; hosts without any too
 * @param byApplication the same instances
 */
public record InventorySnapshot(
    PMap<String, FleetHost> hosts,
    PMap<String, List<FleetInstance>> byHost,
    PMap<String, List<FleetInstance>> byApplication) {

  /** Nothing was ever reported. */
  static final InventorySnapshot EMPTY =
      new InventorySnapshot(HashTreePMap.empty(), HashTreePMap.empty(), HashTreePMap.empty());

  /** Of these; each host and each instance once. */
  public static InventorySnapshot of(
      Collection<FleetHost> hosts, Collection<FleetInstance> instances) {
    InventoryTracker book = new InventoryTracker();
    hosts.forEach(book::put);
    instances.forEach(book::put);
    return book.inventory();
  }
}
