package dev.drydock.lock.core;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which hosts exist: tickets for others are turned down before they enter the queue. */
@FunctionalInterface
public interface HostDirectory {

  /** Those of {@code hosts} nobody ever reported. */
  Set<String> unknown(Collection<String> hosts);

  /**
   * The host of each of {@code instances} that exists; a ticket for an instance stands for its
   * host.
   */
  default Map<String, String> hostsOf(Collection<String> instances) {
    return Map.of();
  }

  /**
   * The hosts of each of {@code zones} that has any: those with an instance in the fault zone.
   *
   * @param applications whose zones are meant; empty means those of all
   */
  default Map<String, List<String>> hostsIn(
      Collection<String> zones, Collection<String> applications) {
    return Map.of();
  }

  /** Those of {@code applications} that have no instance on any of {@code hosts}. */
  default Set<String> notOn(Collection<String> hosts, Collection<String> applications) {
    return Set.of();
  }

  /** The hosts a FleetLock client's id stands for: one, unless the id or the labels are wrong. */
  default List<String> hostsOfFleetLock(String id) {
    return unknown(List.of(id)).isEmpty() ? List.of(id) : List.of();
  }
}
