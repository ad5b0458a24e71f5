package dev.drydock.orchestrator.core.batch;

import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.core.batch.HostFailures.Cause;
import dev.drydock.orchestrator.core.batch.HostFailures.Way;
import dev.drydock.orchestrator.core.batch.PhaseProgress.Status;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.Phase;
import dev.drydock.orchestrator.core.model.Step;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A phase on the way forward whose hosts each have one job to be done. */
final class StepPhase {
  private final SnapshotDraft snapshotDraft;
  private final Phase phase;
  private final Step step;
  private final JobSets jobs;
  private final HostFailures failures;
  private final Repairs repairs;

  /** Hosts of the batch that are worked on. */
  private List<String> hosts = List.of();

  StepPhase(SnapshotDraft snapshotDraft, Phase phase) {
    this.snapshotDraft = snapshotDraft;
    this.phase = phase;
    this.step = phase.step().orElseThrow();
    this.jobs = new JobSets(snapshotDraft);
    this.failures = new HostFailures(snapshotDraft);
    this.repairs = new Repairs(snapshotDraft);
  }

  /** Publishes what is missing, or judges what ended. */
  PhaseProgress pursue(List<String> worked) {
    hosts = worked;
    List<String> own = worked.stream().filter(this::concerns).toList();
    if (jobs.publish(step, own.stream().filter(host -> !repaired(host)).toList())) {
      return PhaseProgress.waiting(step.word());
    }
    List<BatchJob> lasts =
        own.stream().map(host -> snapshotDraft.last(step, host).orElseThrow()).toList();
    PhaseProgress phaseProgress = judge(lasts);
    if (phaseProgress.status() == Status.BROKEN && phase.repairable()) {
      Set<String> open = repairs.take(step, undecided(lasts));
      if (!open.isEmpty()) {
        // Something may be tried on a host that is broken: nothing else is decided about it yet.
        return PhaseProgress.waiting("remediation of " + String.join(", ", open));
      }
    }
    return decided(lasts, phaseProgress);
  }

  /** A host whose Update began nothing, and did not find it to be on the release, is not judged. */
  private boolean concerns(String host) {
    return phase != Phase.HEALTH
        || UntouchedHosts.spared(snapshotDraft, host)
            .filter(batchJob -> batchJob.step() == Step.UPDATE)
            .isEmpty();
  }

  /**
   * Whether the step ended on a host and was repaired there: another round is for the remediation
   * to do, or for people to order, as the host may have to be judged first (I5). A round that
   * people ordered and nobody claimed is published again.
   */
  private boolean repaired(String host) {
    return repairs.had(host, step)
        && snapshotDraft
            .last(step, host)
            .filter(
                batchJob -> batchJob.ended() && (!batchJob.unclaimed() || repairs.did(batchJob)))
            .isPresent();
  }

  /** Hosts on which the step broke and nothing was decided yet, each with the reason. */
  private Map<String, String> undecided(List<BatchJob> lasts) {
    Set<String> decided = failures.jobs();
    return lasts.stream()
        .filter(batchJob -> StepJudgement.broken(phase, batchJob, this::began))
        .filter(batchJob -> !decided.contains(batchJob.id()))
        .collect(
            Collectors.toMap(BatchJob::host, BatchJob::failure, (one, _) -> one, TreeMap::new));
  }

  /**
   * Hosts on which nothing was begun send the batch back, unless other hosts cannot go back any
   * more: then they go along, and are recovered without having been updated.
   */
  private PhaseProgress judge(List<BatchJob> lasts) {
    PhaseProgress phaseProgress = StepJudgement.judge(phase, lasts, this::began);
    boolean back =
        phaseProgress.status() == Status.REQUEUED || phaseProgress.status() == Status.REFUSED;
    boolean along =
        lasts.stream()
            .filter(batchJob -> !batchJob.done())
            .allMatch(
                batchJob -> UntouchedHosts.spared(snapshotDraft, batchJob.host()).isPresent());
    return back && along && hosts.stream().anyMatch(this::began)
        ? PhaseProgress.done()
        : phaseProgress;
  }

  /** Whether its Update may have begun, or room is to be made for it first. */
  private boolean began(String host) {
    return UntouchedHosts.began(snapshotDraft, host) || repairs.cleanable(host, step);
  }

  private PhaseProgress decided(List<BatchJob> lasts, PhaseProgress phaseProgress) {
    boolean failure =
        phaseProgress.status() == Status.FAILED || phaseProgress.status() == Status.BROKEN;
    return failure && snapshotDraft.grant().onHostFailure() != OnHostFailure.ABORT
        ? failed(lasts, phaseProgress)
        : phaseProgress;
  }

  /** What a check would let try again later has not failed, nor has a host that is as it was. */
  private PhaseProgress failed(List<BatchJob> lasts, PhaseProgress phaseProgress) {
    List<BatchJob> bad =
        lasts.stream()
            .filter(batchJob -> !batchJob.done() && !batchJob.held())
            .filter(batchJob -> !StepJudgement.spared(phase, batchJob, this::began))
            .toList();
    Map<String, String> reasons = new TreeMap<>();
    bad.forEach(batchJob -> reasons.put(batchJob.host(), repairs.reason(batchJob)));
    Cause cause =
        new Cause(lasts.getFirst().step().word(), bad.stream().map(BatchJob::id).toList(), reasons);
    boolean wayBack = phase.beforeUpdate() || phaseProgress.status() == Status.FAILED;
    return switch (failures.of(cause, bad.size() < hosts.size(), wayBack)) {
      case Way.Asked(String question) -> PhaseProgress.waiting("answer to " + question);
      case Way.GoBack(PhaseProgress back) -> back;
      // From now on they are left out; the others are done, or wait for a check.
      case Way.KeepAside() ->
          judge(lasts.stream().filter(batchJob -> !bad.contains(batchJob)).toList());
      case Way.Retry() -> again(bad, phaseProgress);
    };
  }

  /**
   * No host is recovered that was not judged since it was changed (I5). A host that is not well
   * then has failed again.
   */
  private PhaseProgress again(List<BatchJob> bad, PhaseProgress phaseProgress) {
    List<BatchJob> ill = new ArrayList<>();
    for (BatchJob batchJob : bad) {
      Optional<BatchJob> judged = HealthSinceChange.of(snapshotDraft, batchJob.host());
      boolean mayServe =
          judged.filter(BatchJob::done).isPresent()
              || UntouchedHosts.spared(snapshotDraft, batchJob.host()).isPresent();
      if (batchJob.step() != Step.RECOVER || mayServe) {
        jobs.again(batchJob.step(), batchJob.host());
      } else if (judged.filter(BatchJob::ended).isPresent() && !repairs.did(judged.get())) {
        ill.add(judged.get());
      } else {
        jobs.anew(Step.HEALTH, batchJob.host());
      }
    }
    // What is asked about some of them is asked once the others have ended.
    return ill.size() < bad.size()
        ? PhaseProgress.waiting("another round")
        : failed(ill, phaseProgress);
  }

  /** Hosts whose ended job lets them go neither on nor back, each with the reason. */
  Map<String, String> broken(List<BatchJob> lasts) {
    Map<String, String> broken = new LinkedHashMap<>();
    lasts.stream()
        .filter(batchJob -> batchJob.ended() && StepJudgement.broken(phase, batchJob, this::began))
        .forEach(batchJob -> broken.put(batchJob.host(), repairs.reason(batchJob)));
    return broken;
  }
}
