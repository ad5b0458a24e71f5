package dev.drydock.impact.core;

import java.util.Optional;

/** What instances fail together by: the fault zone their scheduler tells, or a label of hosts. */
public sealed interface Domain {

  /** The fault zone of the instance. */
  record Zone() implements Domain {
    @Override
    public String toString() {
      return "zone";
    }
  }

  /**
   * The value of a host label, such as rack: hosts with the same value are one domain (the
   * topologyKey of Kubernetes).
   */
  record Label(String key) implements Domain {
    @Override
    public String toString() {
      return key;
    }
  }

  /** The domain of the instance; empty when nobody told. */
  default Optional<String> of(FleetInstance fleetInstance, Fleet fleet) {
    return switch (this) {
      case Zone() -> Optional.of(fleetInstance.zone()).filter(zone -> !zone.isEmpty());
      case Label(String key) -> fleet.host(fleetInstance.host()).flatMap(host -> host.label(key));
    };
  }
}
