package dev.drydock.orchestrator.activity;

import dev.drydock.api.JobStep;
import dev.drydock.impact.core.Ladder;
import dev.drydock.orchestrator.batch.BatchPolicies;
import dev.drydock.orchestrator.remediation.Remediations;
import dev.drydock.orchestrator.remediation.Remediations.Failed;
import dev.drydock.orchestrator.store.BatchHosts;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.orchestrator.store.Transactor;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A phase that some host can neither go on from nor back: what its policies let be tried is tried
 * there first, and meanwhile the batch waits as it is. What becomes of hosts that stay as they are
 * is decided after that.
 */
final class BrokenPhase {
  private final Transactor transactor;
  private final Remediations remediations;
  private final BatchPolicies policies;

  BrokenPhase(Transactor transactor, Remediations remediations, BatchPolicies policies) {
    this.transactor = transactor;
    this.remediations = remediations;
    this.policies = policies;
  }

  /**
   * Waiting while something is tried on any of its hosts, else how far it came. It is judged anew:
   * the next round of a step may be there since it was found broken.
   */
  Progress settled(BatchRun run, Phase phase, Progress broken) {
    Optional<JobStep> step = step(phase);
    if (step.isEmpty()) {
      return broken;
    }
    List<String> hosts = transactor.call(handle -> BatchHosts.active(handle, run.grant()));
    Map<String, Ladder> ladders = remediations.ladders(Set.copyOf(hosts));
    Set<String> open = new HashSet<>();
    Progress now =
        transactor.call(
            handle -> {
              GrantRow grant = GrantRow.lockForRun(handle, run.grant(), run.run());
              BatchPhases phases = new BatchPhases(handle, grant, policies);
              Progress progress = phases.pursue(phase);
              open.clear();
              if (progress.status() != Progress.Status.BROKEN) {
                return progress;
              }
              Failed failed = new Failed(step.get(), phases.undecided(phase, step.get()));
              open.addAll(Remediations.take(handle, grant, failed, ladders));
              return open.isEmpty() ? phases.decided(phase, step.get()) : Progress.waiting();
            });
    remediations.start(run.grant(), open);
    return now;
  }

  /** Of the phases after which a host cannot be as it was. */
  static Optional<JobStep> step(Phase phase) {
    return switch (phase) {
      case UPDATE -> Optional.of(JobStep.Update);
      case HEALTH -> Optional.of(JobStep.Health);
      case RECOVER -> Optional.of(JobStep.Recover);
      case VERIFY,
          FREEZE,
          CONFIRM,
          BEFORE_UNDEPLOY,
          OPEN,
          DRAIN,
          AFTER_UNDEPLOY,
          BEFORE_DEPLOY,
          AFTER_DEPLOY,
          UNDO,
          RECLAIM ->
          Optional.empty();
    };
  }
}
