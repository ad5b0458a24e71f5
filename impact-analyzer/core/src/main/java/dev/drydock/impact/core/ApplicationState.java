package dev.drydock.impact.core;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One application under its policy, and a request that takes some of it: what rules look at.
 * Confined to one thread.
 */
public final class ApplicationState {
  private static final int NAMED_MAX = 3;

  private final Fleet fleet;
  private final Policy policy;
  private final String application;
  private final DisruptionRequest disruptionRequest;
  private final List<FleetInstance> allocated;
  private final List<FleetInstance> taking;

  ApplicationState(
      Fleet fleet, Policy policy, String application, DisruptionRequest disruptionRequest) {
    this.fleet = fleet;
    this.policy = policy;
    this.application = application;
    this.disruptionRequest = disruptionRequest;
    this.allocated = fleet.allocatedTo(application);
    this.taking =
        disruptionRequest.hosts().stream()
            .sorted()
            .flatMap(host -> fleet.allocatedOn(host).stream())
            .filter(fleetInstance -> fleetInstance.application().equals(application))
            .toList();
  }

  Fleet fleet() {
    return fleet;
  }

  String application() {
    return application;
  }

  Policy policy() {
    return policy;
  }

  DisruptionRequest request() {
    return disruptionRequest;
  }

  /** Instances its schedulers allocate, up or not. */
  List<FleetInstance> allocated() {
    return allocated;
  }

  /** Those on the hosts of the request, up or not. */
  List<FleetInstance> taking() {
    return taking;
  }

  /** Whether it was seen to be down by itself, so that who takes it takes nothing down. */
  boolean seenDown(FleetInstance fleetInstance) {
    return new UpCheck(fleet, Set.of()).seenDown(fleetInstance, policy.healthAgeMax());
  }

  /** Instances that should exist. */
  int desired() {
    return policy.desired().instances(allocated.size());
  }

  /** How many are up before the request. */
  int up() {
    return standing().up();
  }

  /** Those not up before the request, with the reason. */
  Map<FleetInstance, String> notUp() {
    return standing().notUp();
  }

  /** The same of another application of the policy. */
  Map<FleetInstance, String> notUp(String another) {
    return fleet.standings().of(another, policy.healthAgeMax(), disruptionRequest).notUp();
  }

  private AvailabilityCache.Standing standing() {
    return fleet.standings().of(application, policy.healthAgeMax(), disruptionRequest);
  }

  /** How many of those up the request takes. */
  int taken() {
    return (int)
        taking.stream().filter(fleetInstance -> !notUp().containsKey(fleetInstance)).count();
  }

  /** Whether the host has a batch hold, so that the request is a check of work that is begun. */
  boolean begun() {
    return disruptionRequest.hosts().stream()
        .allMatch(host -> fleet.host(host).filter(FleetHost::inBatch).isPresent());
  }

  /** Some of those not up, by name; empty when all are up. */
  String notUpNames() {
    return standing().notUpNames();
  }

  static String names(Map<FleetInstance, String> why) {
    List<String> names =
        why.entrySet().stream()
            .map(entry -> entry.getKey().id() + " (" + entry.getValue() + ")")
            .sorted()
            .toList();
    int more = names.size() - NAMED_MAX;
    return names.stream().limit(NAMED_MAX).collect(Collectors.joining(", "))
        + (more > 0 ? " and " + more + " more" : "");
  }
}
