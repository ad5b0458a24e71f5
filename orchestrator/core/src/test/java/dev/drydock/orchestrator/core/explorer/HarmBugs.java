package dev.drydock.orchestrator.core.explorer;

import dev.drydock.impact.core.Ladder;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchHost;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.core.model.RollbackTarget;
import dev.drydock.orchestrator.core.model.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Bugs that harm hosts that are not to blame: what consumers say is read wrong. */
final class HarmBugs {
  private HarmBugs() {}

  /** That nobody claimed a job is taken for a failure of its host. */
  static Bug impatient() {
    return Bugs.jobs(
        batchJob -> batchJob.unclaimed() ? Bugs.as(batchJob, JobStatus.FAILED) : batchJob);
  }

  /** A batch that could try again ends. */
  static Bug lasting() {
    return Bug.changing(
        (_, action) ->
            action instanceof Action.GoBack(RollbackTarget end, String why)
                    && end == RollbackTarget.REQUEUED
                ? new Action.GoBack(RollbackTarget.REVERTED, why)
                : action);
  }

  /** A remediation is not left once people broke into its batch. */
  static Bug waiting() {
    return Bug.deciding(
        (rows, actions) ->
            rows.grant().aborted() && rows.remediations().stream().anyMatch(Remediation::open)
                ? List.of(new Action.Wait(Optional.empty(), "a repair"))
                : actions);
  }

  /** What consumers say of whether anything was begun is not read. */
  static Bug heedless() {
    return Bugs.jobs(batchJob -> told(batchJob, BatchJob.Told.NOTHING));
  }

  /** What is said of it is read only of jobs whose outcome is known. */
  static Bug deaf() {
    return Bugs.jobs(
        batchJob ->
            batchJob.status() == JobStatus.UNKNOWN
                ? told(batchJob, BatchJob.Told.NOTHING)
                : batchJob);
  }

  /** A host that was not drained in time counts as touched, whatever is said of it. */
  static Bug blaming() {
    return Bugs.jobs(
        batchJob ->
            batchJob.step() == Step.DRAIN
                ? told(
                    batchJob,
                    new BatchJob.Told(
                        Optional.empty(), batchJob.told().mend(), batchJob.told().cause()))
                : batchJob);
  }

  /** Any failure of the step is taken for one that began nothing. */
  static Bug trusting(Step step) {
    BatchJob.Told nothing = new BatchJob.Told(Optional.of(false), Optional.empty(), "");
    return Bugs.jobs(
        batchJob ->
            batchJob.step() == step && batchJob.status() == JobStatus.FAILED
                ? told(batchJob, nothing)
                : batchJob);
  }

  /** A fact of a diagnosis is read as something else. */
  static Bug finding(String fact, String what) {
    return Bugs.jobs(
        batchJob -> {
          if (!batchJob.facts().containsKey(fact)) {
            return batchJob;
          }
          Map<String, String> facts = new HashMap<>(batchJob.facts());
          facts.put(fact, what);
          return Rows.found(batchJob, facts, batchJob.told());
        });
  }

  /** Every step counts as remediated, in vain and without a ladder: nothing is diagnosed. */
  static Bug undiagnosed() {
    return Bug.reading(rows -> Rows.of(rows).remediations(left(rows)).done());
  }

  private static List<Remediation> left(BatchSnapshot rows) {
    List<Remediation> left = new ArrayList<>();
    for (BatchHost host : rows.hosts()) {
      for (Step step : List.of(Step.UPDATE, Step.HEALTH, Step.RECOVER)) {
        left.add(
            Remediation.begun(host.name(), step, Ladder.NONE, "", Rows.NOW)
                .ended(Remediation.State.LEFT, "", false, Rows.NOW));
      }
    }
    return left;
  }

  private static BatchJob told(BatchJob batchJob, BatchJob.Told told) {
    return Rows.found(batchJob, batchJob.facts(), told);
  }
}
