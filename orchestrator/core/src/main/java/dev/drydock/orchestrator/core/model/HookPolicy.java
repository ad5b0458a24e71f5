package dev.drydock.orchestrator.core.model;

import dev.drydock.impact.core.PolicyHook;
import java.util.List;
import java.util.Set;

/**
 * The hooks that a policy wants run around the work on its hosts.
 *
 * @param applications what the policy is in force for
 * @param hooks pre hooks first
 */
public record HookPolicy(
    BatchHook.Source source, Set<String> applications, List<PolicyHook> hooks) {
  public HookPolicy {
    applications = Set.copyOf(applications);
    hooks = List.copyOf(hooks);
  }
}
