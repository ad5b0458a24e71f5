package dev.drydock.orchestrator.hooks;

import dev.drydock.impact.core.Hook;
import dev.drydock.impact.core.OnHostFailure;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the policies in force say of hooks, and of hosts that fail in a batch. */
public interface HookPolicies {
  /**
   * The hooks of a policy.
   *
   * @param applications what the policy is in force for
   * @param hooks pre hooks first
   */
  record Hooks(
      String policy, int version, String team, Set<String> applications, List<Hook> hooks) {
    public Hooks {
      applications = Set.copyOf(applications);
      hooks = List.copyOf(hooks);
    }
  }

  /** Of all policies that have any, by name. */
  List<Hooks> hooks();

  /** What a batch does when one of its hosts fails, by application; who is not named aborts. */
  default Map<String, OnHostFailure> onHostFailure() {
    return Map.of();
  }
}
