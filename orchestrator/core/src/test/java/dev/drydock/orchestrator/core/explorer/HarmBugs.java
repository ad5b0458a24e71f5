package dev.drydock.orchestrator.core.explorer;

import dev.drydock.impact.core.Ladder;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BackTo;
import dev.drydock.orchestrator.core.model.BatchHost;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Job;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Remediation;
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
    return Bugs.jobs(job -> job.unclaimed() ? Bugs.as(job, JobStatus.FAILED) : job);
  }

  /** A batch that could try again ends. */
  static Bug lasting() {
    return Bug.changing(
        (_, action) ->
            action instanceof Action.GoBack(BackTo end, String why) && end == BackTo.HELD
                ? new Action.GoBack(BackTo.REVERTED, why)
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
    return Bugs.jobs(job -> told(job, Job.Told.NOTHING));
  }

  /** What is said of it is read only of jobs whose outcome is known. */
  static Bug deaf() {
    return Bugs.jobs(job -> job.status() == JobStatus.UNKNOWN ? told(job, Job.Told.NOTHING) : job);
  }

  /** A host that was not drained in time counts as touched, whatever is said of it. */
  static Bug blaming() {
    return Bugs.jobs(
        job ->
            job.step() == Step.DRAIN
                ? told(job, new Job.Told(Optional.empty(), job.told().mend(), job.told().cause()))
                : job);
  }

  /** Any failure of the step is taken for one that began nothing. */
  static Bug trusting(Step step) {
    Job.Told nothing = new Job.Told(Optional.of(false), Optional.empty(), "");
    return Bugs.jobs(
        job -> job.step() == step && job.status() == JobStatus.FAILED ? told(job, nothing) : job);
  }

  /** A fact of a diagnosis is read as something else. */
  static Bug finding(String fact, String what) {
    return Bugs.jobs(
        job -> {
          if (!job.facts().containsKey(fact)) {
            return job;
          }
          Map<String, String> facts = new HashMap<>(job.facts());
          facts.put(fact, what);
          return Rows.found(job, facts, job.told());
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

  private static Job told(Job job, Job.Told told) {
    return Rows.found(job, job.facts(), told);
  }
}
