package dev.drydock.orchestrator.core.testkit;

import dev.drydock.impact.core.Hook;
import dev.drydock.impact.core.Hook.Scope;
import dev.drydock.impact.core.Hook.Stage;
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
  public static Hook pre(String name, Stage stage, Scope scope, int order) {
    return new Hook(
        name, stage, scope, Hook.DEFAULT_TIMEOUT, order, Map.of("rate", "5"), Optional.empty());
  }

  /** The hook that takes it back, under the same name. */
  public static Hook post(Hook pre) {
    return new Hook(
        pre.name(),
        pre.stage().mirror(),
        pre.scope(),
        Hook.DEFAULT_TIMEOUT,
        pre.order(),
        Map.of(),
        Optional.of(pre.name()));
  }

  /** A policy of an application, named like it. */
  public static HookPolicy policy(String application, Hook... hooks) {
    return new HookPolicy(
        new BatchHook.Source(application, 3, application + "-team"),
        Set.of(application),
        List.of(hooks));
  }
}
