package dev.drydock.orchestrator.core.batch;

import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.core.batch.HostFailures.Cause;
import dev.drydock.orchestrator.core.batch.HostFailures.Way;
import dev.drydock.orchestrator.core.batch.Progress.Status;
import dev.drydock.orchestrator.core.model.Job;
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
  private final Draft draft;
  private final Phase phase;
  private final Step step;
  private final JobSets jobs;
  private final HostFailures failures;
  private final Repairs repairs;

  /** Hosts of the batch that are worked on. */
  private List<String> hosts = List.of();

  StepPhase(Draft draft, Phase phase) {
    this.draft = draft;
    this.phase = phase;
    this.step = phase.step().orElseThrow();
    this.jobs = new JobSets(draft);
    this.failures = new HostFailures(draft);
    this.repairs = new Repairs(draft);
  }

  /** Publishes what is missing, or judges what ended. */
  Progress pursue(List<String> worked) {
    hosts = worked;
    List<String> own = worked.stream().filter(this::concerns).toList();
    if (jobs.publish(step, own.stream().filter(host -> !repaired(host)).toList())) {
      return Progress.waiting(step.word());
    }
    List<Job> lasts = own.stream().map(host -> draft.last(step, host).orElseThrow()).toList();
    Progress progress = judge(lasts);
    if (progress.status() == Status.BROKEN && phase.repairable()) {
      Set<String> open = repairs.take(step, undecided(lasts));
      if (!open.isEmpty()) {
        // Something may be tried on a host that is broken: nothing else is decided about it yet.
        return Progress.waiting("remediation of " + String.join(", ", open));
      }
    }
    return decided(lasts, progress);
  }

  /** A host whose Update began nothing, and did not find it to be on the release, is not judged. */
  private boolean concerns(String host) {
    return phase != Phase.HEALTH
        || UntouchedHosts.spared(draft, host).filter(job -> job.step() == Step.UPDATE).isEmpty();
  }

  /**
   * Whether the step ended on a host and was repaired there: another round is for the remediation
   * to do, or for people to order, as the host may have to be judged first (I5). A round that
   * people ordered and nobody claimed is published again.
   */
  private boolean repaired(String host) {
    return repairs.had(host, step)
        && draft
            .last(step, host)
            .filter(job -> job.ended() && (!job.unclaimed() || repairs.did(job)))
            .isPresent();
  }

  /** Hosts on which the step broke and nothing was decided yet, each with the reason. */
  private Map<String, String> undecided(List<Job> lasts) {
    Set<String> decided = failures.jobs();
    return lasts.stream()
        .filter(job -> StepJudgement.broken(phase, job, this::began))
        .filter(job -> !decided.contains(job.id()))
        .collect(Collectors.toMap(Job::host, Job::failure, (one, _) -> one, TreeMap::new));
  }

  /**
   * Hosts on which nothing was begun send the batch back, unless other hosts cannot go back any
   * more: then they go along, and are recovered without having been updated.
   */
  private Progress judge(List<Job> lasts) {
    Progress progress = StepJudgement.judge(phase, lasts, this::began);
    boolean back = progress.status() == Status.HELD || progress.status() == Status.REFUSED;
    boolean along =
        lasts.stream()
            .filter(job -> !job.done())
            .allMatch(job -> UntouchedHosts.spared(draft, job.host()).isPresent());
    return back && along && hosts.stream().anyMatch(this::began) ? Progress.done() : progress;
  }

  /** Whether its Update may have begun, or room is to be made for it first. */
  private boolean began(String host) {
    return UntouchedHosts.began(draft, host) || repairs.cleanable(host, step);
  }

  private Progress decided(List<Job> lasts, Progress progress) {
    boolean failure = progress.status() == Status.FAILED || progress.status() == Status.BROKEN;
    return failure && draft.grant().onHostFailure() != OnHostFailure.ABORT
        ? failed(lasts, progress)
        : progress;
  }

  /** What a check would let try again later has not failed, nor has a host that is as it was. */
  private Progress failed(List<Job> lasts, Progress progress) {
    List<Job> bad =
        lasts.stream()
            .filter(job -> !job.done() && !job.held())
            .filter(job -> !StepJudgement.spared(phase, job, this::began))
            .toList();
    Map<String, String> reasons = new TreeMap<>();
    bad.forEach(job -> reasons.put(job.host(), repairs.reason(job)));
    Cause cause =
        new Cause(lasts.getFirst().step().word(), bad.stream().map(Job::id).toList(), reasons);
    boolean wayBack = phase.beforeUpdate() || progress.status() == Status.FAILED;
    return switch (failures.of(cause, bad.size() < hosts.size(), wayBack)) {
      case Way.Asked(String question) -> Progress.waiting("answer to " + question);
      case Way.GoBack(Progress back) -> back;
      // From now on they are left out; the others are done, or wait for a check.
      case Way.KeepAside() -> judge(lasts.stream().filter(job -> !bad.contains(job)).toList());
      case Way.Retry() -> again(bad, progress);
    };
  }

  /**
   * No host is recovered that was not judged since it was changed (I5). A host that is not well
   * then has failed again.
   */
  private Progress again(List<Job> bad, Progress progress) {
    List<Job> ill = new ArrayList<>();
    for (Job job : bad) {
      Optional<Job> judged = HealthSinceChange.of(draft, job.host());
      boolean mayServe =
          judged.filter(Job::done).isPresent()
              || UntouchedHosts.spared(draft, job.host()).isPresent();
      if (job.step() != Step.RECOVER || mayServe) {
        jobs.again(job.step(), job.host());
      } else if (judged.filter(Job::ended).isPresent() && !repairs.did(judged.get())) {
        ill.add(judged.get());
      } else {
        jobs.anew(Step.HEALTH, job.host());
      }
    }
    // What is asked about some of them is asked once the others have ended.
    return ill.size() < bad.size() ? Progress.waiting("another round") : failed(ill, progress);
  }

  /** Hosts whose ended job lets them go neither on nor back, each with the reason. */
  Map<String, String> broken(List<Job> lasts) {
    Map<String, String> broken = new LinkedHashMap<>();
    lasts.stream()
        .filter(job -> job.ended() && StepJudgement.broken(phase, job, this::began))
        .forEach(job -> broken.put(job.host(), repairs.reason(job)));
    return broken;
  }
}
