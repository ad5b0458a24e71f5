package dev.drydock.orchestrator.activity;

import dev.drydock.api.EventKind;
import dev.drydock.orchestrator.activity.FailureBudgets.InForce;
import dev.drydock.orchestrator.store.CohortHalts;
import dev.drydock.orchestrator.store.CohortHalts.Alike;
import dev.drydock.orchestrator.store.CohortHalts.Cohort;
import dev.drydock.orchestrator.store.CohortHalts.Outcome;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.platform.events.NewEvent;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Looks whether too many hosts of a rollout failed, by each policy that says how many may. A cohort
 * in which they did is halted, and the others go on; what failed there does not count against them.
 * If still too many failed, the rollout is paused. Both last until people resume it. Safe for use
 * by many threads.
 */
final class FailureWatch {
  private final Jdbi jdbi;
  private final Transactor transactor;
  private final FailureBudgets budgets;

  FailureWatch(Jdbi jdbi, FailureBudgets budgets) {
    this.jdbi = jdbi;
    this.transactor = new Transactor(jdbi);
    this.budgets = budgets;
  }

  /**
   * Repeats what was decided for hosts that wait since. Ends are counted before the rollout is
   * locked, as proposals wait for that: whoever ends later wakes the rollout for another look, and
   * so do people who look meanwhile.
   */
  void look(String rollout) {
    List<InForce> inForce = budgets.inForce();
    if (!inForce.isEmpty()) {
      jdbi.withHandle(handle -> CohortHalts.countedFrom(handle, rollout))
          .ifPresent(from -> look(rollout, inForce, from));
    }
    transactor.call(
        handle -> {
          CohortHalts.hold(handle, rollout);
          return true;
        });
  }

  private void look(String rollout, List<InForce> inForce, String from) {
    List<Alike> ended = jdbi.withHandle(handle -> CohortHalts.ended(handle, rollout, from));
    if (ended.isEmpty()) {
      return;
    }
    transactor.call(
        handle -> {
          boolean halted = false;
          if (CohortHalts.lockRunning(handle, rollout, from)) {
            for (InForce one : inForce) {
              halted |= look(handle, rollout, one, ended);
            }
          }
          if (halted) {
            CohortHalts.hold(handle, rollout); // Before anybody proposes.
          }
          return halted;
        });
  }

  /** Whether a cohort is halted since. */
  private static boolean look(Handle handle, String rollout, InForce one, List<Alike> ended) {
    Map<Cohort, Outcome> cohorts = new LinkedHashMap<>();
    for (Alike hosts : ended) {
      for (Cohort cohort : hosts.cohorts(one.applications())) {
        cohorts.merge(cohort, hosts.outcome(), Outcome::plus);
      }
    }
    Set<Cohort> before = CohortHalts.halted(handle, rollout, one.policy());
    Set<Cohort> halted = new HashSet<>(before);
    cohorts.forEach(
        (cohort, outcome) -> {
          if (exceeded(one, outcome) && halted.add(cohort)) {
            halt(handle, rollout, one, cohort, outcome);
          }
        });
    Outcome others =
        ended.stream()
            .filter(hosts -> isAnother(hosts.cohorts(one.applications()), halted))
            .map(Alike::outcome)
            .reduce(Outcome.NONE, Outcome::plus);
    if (exceeded(one, others)) {
      CohortHalts.pause(handle, rollout, "policy " + one.policy(), says(one, others));
    }
    return halted.size() > before.size();
  }

  private static boolean isAnother(List<Cohort> cohorts, Set<Cohort> halted) {
    return !cohorts.isEmpty() && Collections.disjoint(cohorts, halted);
  }

  private static boolean exceeded(InForce one, Outcome outcome) {
    return one.budget().exceeded(outcome.failed(), outcome.ended());
  }

  private static void halt(
      Handle handle, String rollout, InForce one, Cohort cohort, Outcome outcome) {
    String says =
        "no further host of class %s with %s begins: %s; drydock rollout resume %s lets them"
            .formatted(cohort.hardwareClass(), cohort.application(), says(one, outcome), rollout);
    CohortHalts.halt(handle, rollout, one.policy(), cohort, says);
    NewEvent.ofRollout(
            EventKind.CohortHalted,
            rollout,
            Map.of(
                "policy", one.policy(),
                "hardwareClass", cohort.hardwareClass(),
                "application", cohort.application(),
                "failed", outcome.failed(),
                "ended", outcome.ended(),
                "reason", says))
        .append(handle);
  }

  private static String says(InForce one, Outcome outcome) {
    return "%d of %d failed, more than %s of policy %s version %d allows"
        .formatted(outcome.failed(), outcome.ended(), one.budget(), one.policy(), one.version());
  }
}
