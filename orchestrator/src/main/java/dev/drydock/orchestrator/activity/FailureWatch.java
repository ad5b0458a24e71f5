package dev.drydock.orchestrator.activity;

import dev.drydock.api.EventKind;
import dev.drydock.orchestrator.activity.FailureBudgets.InForce;
import dev.drydock.orchestrator.store.CohortHalts;
import dev.drydock.orchestrator.store.CohortHalts.Cohort;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.platform.events.Event;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Looks whether too many hosts of a rollout failed, by each policy that says how many may. A
 * hardware class in which they did is halted, and the others go on; what failed there does not
 * count against them. If still too many failed, the rollout is paused. Both last until people
 * resume it. Safe for use by many threads.
 */
final class FailureWatch {
  private final Transactor transactor;
  private final FailureBudgets budgets;

  FailureWatch(Jdbi jdbi, FailureBudgets budgets) {
    this.transactor = new Transactor(jdbi);
    this.budgets = budgets;
  }

  /** Repeats what was decided for hosts that wait since. */
  void look(String rollout) {
    List<InForce> inForce = budgets.inForce();
    transactor.call(
        handle -> {
          if (CohortHalts.lockRunning(handle, rollout)) {
            inForce.forEach(one -> look(handle, rollout, one));
            CohortHalts.hold(handle, rollout);
          }
          return true;
        });
  }

  private static void look(Handle handle, String rollout, InForce one) {
    int failed = 0;
    int ended = 0;
    for (Cohort cohort : CohortHalts.cohorts(handle, rollout, one.policy(), one.applications())) {
      if (cohort.halted()) {
        continue;
      }
      if (one.budget().exceeded(cohort.failed(), cohort.ended())) {
        halt(handle, rollout, one, cohort);
      } else {
        failed += cohort.failed();
        ended += cohort.ended();
      }
    }
    if (one.budget().exceeded(failed, ended)) {
      CohortHalts.pause(handle, rollout, "policy " + one.policy(), says(one, failed, ended));
    }
  }

  private static void halt(Handle handle, String rollout, InForce one, Cohort cohort) {
    String says =
        "no further host of class %s begins: %s; drydock rollout resume %s lets them"
            .formatted(cohort.hardwareClass(), says(one, cohort.failed(), cohort.ended()), rollout);
    CohortHalts.halt(
        handle, rollout, one.policy(), cohort.hardwareClass(), one.applications(), says);
    Event.ofRollout(
            EventKind.CohortHalted,
            rollout,
            Map.of(
                "policy", one.policy(),
                "hardwareClass", cohort.hardwareClass(),
                "failed", cohort.failed(),
                "ended", cohort.ended(),
                "reason", says))
        .append(handle);
  }

  private static String says(InForce one, int failed, int ended) {
    return "%d of %d failed, more than %s of policy %s version %d allows"
        .formatted(failed, ended, one.budget(), one.policy(), one.version());
  }
}
