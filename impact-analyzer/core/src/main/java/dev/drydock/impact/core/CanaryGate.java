package dev.drydock.impact.core;

import java.util.List;
import java.util.Set;

/**
 * The hosts of a rollout that go first for one policy, and those that wait for them.
 *
 * @param policy its name
 * @param version of the policy, when the gate was made
 * @param applications of the policy: what has to be up on the canaries when they have soaked
 * @param canary what was asked, by this policy or a more cautious one that shares hosts with it
 * @param canaries in the order of the plan
 * @param waiting hosts of the rollout on which the policy applies, canaries excepted
 */
public record CanaryGate(
    String policy,
    int version,
    Set<String> applications,
    Canary canary,
    List<String> canaries,
    Set<String> waiting) {
  public CanaryGate {
    applications = Set.copyOf(applications);
    canaries = List.copyOf(canaries);
    waiting = Set.copyOf(waiting);
  }
}
