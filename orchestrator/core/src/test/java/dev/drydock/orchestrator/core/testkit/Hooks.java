package dev.drydock.orchestrator.core.testkit;

import dev.drydock.impact.core.PolicyHook;
import dev.drydock.impact.core.PolicyHook.Scope;
import dev.drydock.impact.core.PolicyHook.Stage;
import dev.drydock.orchestrator.core.model.BatchHook;
import dev.drydock.orchestrator.core.model.HookPolicy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Hooks as policies want them. */
public final class Hooks {
  private Hooks() {}

  /** A hook that takes back nothing. */
  public static PolicyHook pre(String name, Stage stage, Scope scope, int order) {
    return new PolicyHook(
        name,
        stage,
        scope,
        PolicyHook.DEFAULT_TIMEOUT,
        order,
        Map.of("rate", "5"),
        Optional.empty());
  }

  /** The hook that takes it back, under the same name. */
  public static PolicyHook post(PolicyHook pre) {
    return new PolicyHook(
        pre.name(),
        pre.stage().mirror(),
        pre.scope(),
        PolicyHook.DEFAULT_TIMEOUT,
        pre.order(),
        Map.of(),
        Optional.of(pre.name()));
  }

  /** A policy of an application, named like it. */
  public static HookPolicy policy(String application, PolicyHook... hooks) {
    return new HookPolicy(
        new BatchHook.Source(application, 3, application + "-team"),
        Set.of(application),
        List.of(hooks));
  }
}
