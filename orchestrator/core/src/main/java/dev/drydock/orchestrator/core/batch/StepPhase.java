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

  /** How many hosts of the batch are worked on. */
  private int hosts;

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
    hosts = worked.size();
    if (jobs.publish(step, worked.stream().filter(host -> !repaired(host)).toList())) {
      return Progress.waiting(step.word());
    }
    List<Job> lasts = worked.stream().map(host -> draft.last(step, host).orElseThrow()).toList();
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

  /**
   * Whether the step ended on a host and was repaired there: another round is for the remediation
   * to do, or for people to order, as the host may have to be judged first (I5).
   */
  private boolean repaired(String host) {
    return repairs.had(host, step) && draft.last(step, host).filter(Job::ended).isPresent();
  }

  /** Hosts on which the step broke and nothing was decided yet, each with the reason. */
  private Map<String, String> undecided(List<Job> lasts) {
    Set<String> decided = failures.jobs();
    boolean begun = begunBefore(lasts);
    return lasts.stream()
        .filter(job -> StepJudgement.broken(phase, job, lasts, begun))
        .filter(job -> !decided.contains(job.id()))
        .collect(Collectors.toMap(Job::host, Job::failure, (one, _) -> one, TreeMap::new));
  }

  private Progress judge(List<Job> lasts) {
    return StepJudgement.judge(phase, lasts, begunBefore(lasts));
  }

  /** Of updates that nobody was given: whether somebody was given an earlier round of one. */
  private boolean begunBefore(List<Job> lasts) {
    return phase == Phase.UPDATE
        && lasts.stream().allMatch(Job::endedUntouched)
        && lasts.stream().flatMap(job -> draft.jobs(job.step(), job.host())).anyMatch(Job::given);
  }

  private Progress decided(List<Job> lasts, Progress progress) {
    boolean failure = progress.status() == Status.FAILED || progress.status() == Status.BROKEN;
    return failure && draft.grant().onHostFailure() != OnHostFailure.ABORT
        ? failed(lasts, progress)
        : progress;
  }

  /** What a check would let try again later has not failed. */
  private Progress failed(List<Job> lasts, Progress progress) {
    List<Job> bad = lasts.stream().filter(job -> !job.done() && !job.held()).toList();
    Map<String, String> reasons = new TreeMap<>();
    bad.forEach(job -> reasons.put(job.host(), repairs.reason(job)));
    Cause cause =
        new Cause(lasts.getFirst().step().word(), bad.stream().map(Job::id).toList(), reasons);
    boolean wayBack = phase.beforeUpdate() || progress.status() == Status.FAILED;
    return switch (failures.of(cause, bad.size() < hosts, wayBack)) {
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
      if (job.step() != Step.RECOVER || judged.filter(Job::done).isPresent()) {
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
    boolean begun = begunBefore(lasts);
    Map<String, String> broken = new LinkedHashMap<>();
    lasts.stream()
        .filter(job -> job.ended() && StepJudgement.broken(phase, job, lasts, begun))
        .forEach(job -> broken.put(job.host(), repairs.reason(job)));
    return broken;
  }
}
