package dev.drydock.impact.core;

import java.util.Optional;

/** A rule about how many instances must stay up (as of a Kubernetes PodDisruptionBudget). */
public sealed interface CapacityRule extends Rule permits MaxUnavailable, MinAvailable {

  /** Instances that must stay up when {@code desired} should exist. */
  int required(int desired);

  @Override
  default RuleResult judge(ApplicationState state) {
    int required = required(state.desired());
    int up = state.up();
    int taken = state.taken();
    boolean allows = up - taken >= required;
    String notUp = allows || state.notUp().isEmpty() ? "" : "; not up: " + state.notUpNames();
    return new RuleResult(
        allows,
        required,
        "needs %d of %d up; %d up, this takes %d%s"
            .formatted(required, state.desired(), up, taken, notUp));
  }

  /** By what could stay up if everything that exists or should exist were up. */
  @Override
  default Optional<String> never(ApplicationState state) {
    int atBest = Math.max(state.desired(), state.allocated().size()) - state.taking().size();
    int required = required(state.desired());
    return atBest >= required
        ? Optional.empty()
        : Optional.of(
            "too many even with all up: %d would stay, %d are needed".formatted(atBest, required));
  }
}
