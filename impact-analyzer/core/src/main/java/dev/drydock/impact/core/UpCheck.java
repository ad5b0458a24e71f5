package dev.drydock.impact.core;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Says whether an instance is up, by protocol P6: healthy, fresh, observed after the last effect on
 * its host, and its host free of locks, lapsed records and quarantines. Whatever is missing or
 * unknown is not up.
 *
 * @param held hosts with a lock of any kind
 * @param ending hosts of those who work now, if they count as done; see {@link
 *     DisruptionRequest#ending}
 */
record UpCheck(Fleet fleet, Set<String> held, Optional<Set<String>> ending) {
  /** Why nothing on a locked host is up, whatever else is known of it. */
  static final String LOCKED = "its host is locked";

  UpCheck(Fleet fleet, Set<String> held) {
    this(fleet, held, Optional.empty());
  }

  /** Why the instance is not up, in a few words; empty when it is up. */
  Optional<String> notUp(FleetInstance fleetInstance, Duration healthAgeMax) {
    Optional<FleetHost> host = fleet.host(fleetInstance.host());
    if (host.isEmpty()) {
      return Optional.of("its host is unknown");
    }
    if (fleetInstance.vanished()) {
      return Optional.of("vanished");
    }
    if (held.contains(fleetInstance.host())) {
      return Optional.of(LOCKED);
    }
    boolean observed = fleetInstance.mark() >= host.get().lastEffectMark();
    if (ending.filter(those -> those.contains(fleetInstance.host()) || !observed).isPresent()) {
      return Optional.empty();
    }
    if (fleetInstance.health() != Health.HEALTHY) {
      return Optional.of(fleetInstance.health() == Health.UNKNOWN ? "health unknown" : "unhealthy");
    }
    if (!observed) {
      return Optional.of("not observed since the last work on its host");
    }
    return unbelieved(fleetInstance, host.get(), healthAgeMax);
  }

  /**
   * Whether it was seen to be down by itself: by an observation that is believed as much as one
   * that says it is up. Who takes such an instance takes nothing down.
   */
  boolean seenDown(FleetInstance fleetInstance, Duration healthAgeMax) {
    return fleet
        .host(fleetInstance.host())
        .filter(_ -> fleetInstance.health() == Health.UNHEALTHY)
        .filter(host -> fleetInstance.mark() >= host.lastEffectMark())
        .filter(host -> unbelieved(fleetInstance, host, healthAgeMax).isEmpty())
        .isPresent();
  }

  /** Why its observation says nothing about now. */
  private Optional<String> unbelieved(
      FleetInstance fleetInstance, FleetHost host, Duration healthAgeMax) {
    Optional<Duration> ahead = fleet.ahead(fleetInstance.observedAt());
    if (ahead.isPresent()) {
      return Optional.of("observed %d s in the future".formatted(ahead.get().toSeconds()));
    }
    Duration age = Duration.between(fleetInstance.observedAt(), fleet.now());
    if (age.compareTo(healthAgeMax) > 0) {
      return Optional.of(
          "last observed %d s ago, bound %d s"
              .formatted(age.toSeconds(), healthAgeMax.toSeconds()));
    }
    return fleet.staleness(host.source());
  }
}
