package dev.drydock.orchestrator.core.explorer;

import dev.drydock.impact.core.PolicyHook.Stage;
import dev.drydock.orchestrator.core.model.BatchHook;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Step;

/** What holds of hooks. */
final class HookRules {
  private HookRules() {}

  /** The hooks of a stage are done before a step is published. */
  static void done(Rules rules, BatchSnapshot rows, Stage stage, String says) {
    for (BatchHook hook : rows.hooks()) {
      rules.require(
          hook.stage() != stage
              || hook.hosts().stream().noneMatch(host -> Rules.active(rows, host))
              || hookDone(rows, Step.HOOK, hook.number()),
          "HOOKS",
          says + " before " + hook.says());
    }
  }

  /** At the end nothing that hooks began is left open. */
  static void atEnd(Rules rules, BatchSnapshot rows) {
    for (BatchHook hook : rows.hooks()) {
      boolean begun =
          hook.pre().isPresent()
              && rows.jobs().stream()
                  .anyMatch(job -> job.hook() == hook.pre().get() && job.given());
      rules.require(
          !begun
              || hook.hosts().stream().noneMatch(host -> Rules.active(rows, host))
              || hookDone(rows, Step.HOOK, hook.number())
              || hookDone(rows, Step.UNHOOK, hook.number()),
          "HOOKS",
          "the batch ends before " + hook.says());
    }
  }

  private static boolean hookDone(BatchSnapshot rows, Step step, int number) {
    return rows.jobs().stream()
        .filter(job -> job.step() == step && job.hook() == number)
        .reduce((_, later) -> later)
        .filter(BatchJob::done)
        .isPresent();
  }
}
