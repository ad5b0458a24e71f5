package dev.drydock.orchestrator.core.batch;

import dev.drydock.impact.core.PolicyHook;
import dev.drydock.orchestrator.core.model.BatchHook;
import dev.drydock.orchestrator.core.model.HookPolicy;
import dev.drydock.orchestrator.core.model.RunningInstance;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The hooks of a batch, as policies want them for what runs on its hosts. They are planned once,
 * when the hosts are cordoned: before that instances may come and go, after it policies may.
 */
final class HookPlan {
  private final String grant;
  private final List<BatchHook> hooks = new ArrayList<>();

  /** Numbers of pre hooks, by policy, target and name. */
  private final Map<List<String>, Integer> pres = new HashMap<>();

  private HookPlan(String grant) {
    this.grant = grant;
  }

  /** The hooks in the order of their policies; pre hooks of a policy come before its post hooks. */
  static List<BatchHook> of(
      String grant,
      List<HookPolicy> policies,
      List<RunningInstance> running,
      Collection<String> hosts) {
    HookPlan plan = new HookPlan(grant);
    for (HookPolicy policy : policies) {
      List<RunningInstance> own =
          running.stream()
              .filter(one -> hosts.contains(one.host()))
              .filter(one -> policy.applications().contains(one.application()))
              .toList();
      policy.hooks().forEach(policyHook -> plan.add(policy, policyHook, own));
    }
    return List.copyOf(plan.hooks);
  }

  private void add(HookPolicy policy, PolicyHook policyHook, List<RunningInstance> running) {
    Map<String, List<RunningInstance>> targets = new TreeMap<>();
    for (RunningInstance one : running) {
      String target =
          switch (policyHook.scope()) {
            case INSTANCE -> one.id();
            case HOST -> one.host();
            case BATCH -> grant;
          };
      targets.computeIfAbsent(target, _ -> new ArrayList<>()).add(one);
    }
    targets.forEach((target, about) -> add(policy, policyHook, target, about));
  }

  private void add(
      HookPolicy policy, PolicyHook policyHook, String target, List<RunningInstance> about) {
    int number = hooks.size() + 1;
    String owner = policy.source().policy();
    if (policyHook.stage().pre()) {
      pres.put(List.of(owner, target, policyHook.name()), number);
    }
    Optional<Integer> pre =
        policyHook.of().map(of -> Objects.requireNonNull(pres.get(List.of(owner, target, of))));
    hooks.add(
        new BatchHook(
            number,
            policyHook.name(),
            policyHook.stage(),
            policyHook.scope(),
            target,
            about.stream().map(RunningInstance::host).distinct().toList(),
            about.stream().map(RunningInstance::id).toList(),
            policyHook.order(),
            policy.source(),
            policyHook.params(),
            policyHook.timeout(),
            pre));
  }
}
