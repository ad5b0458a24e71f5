package dev.drydock.orchestrator.activity;

import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.orchestrator.activity.Progress.Status;
import dev.drydock.orchestrator.batch.BatchPolicies;
import dev.drydock.orchestrator.blocked.BlockedBatches;
import dev.drydock.orchestrator.blocked.BlockedBatches.Cause;
import dev.drydock.orchestrator.core.model.DrainTerms;
import dev.drydock.orchestrator.jobs.JobRow;
import dev.drydock.orchestrator.jobs.Marks;
import dev.drydock.orchestrator.jobs.Publication;
import dev.drydock.orchestrator.jobs.SinceChanged;
import dev.drydock.orchestrator.remediation.Remediations;
import dev.drydock.orchestrator.store.BatchHosts;
import dev.drydock.orchestrator.store.CheckStore;
import dev.drydock.orchestrator.store.GrantRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** Pursues the phases of one batch inside a transaction that holds the lock of its grant. */
final class BatchPhases {
  private final Handle handle;
  private final GrantRow grant;
  private final BatchPolicies policies;
  private final FailedHosts failed;

  /** Those that are to be kept aside are left out. */
  private final List<String> hosts;

  private int published;

  BatchPhases(Handle handle, GrantRow grant, BatchPolicies policies) {
    this.handle = handle;
    this.grant = grant;
    this.policies = policies;
    this.failed = new FailedHosts(handle, grant);
    this.hosts = failed.without(AtRelease.others(handle, grant.id()));
  }

  /** How many jobs were new. */
  int published() {
    return published;
  }

  Progress pursue(Phase phase) {
    if (phase != Phase.UNDO && phase != Phase.RECLAIM && grant.undo().isPresent()) {
      return new Progress(Status.FAILED, grant.undoReason().orElse(""));
    }
    return unlessAside(phase, at(phase));
  }

  private Progress unlessAside(Phase phase, Progress progress) {
    Map<String, String> aside = progress.status() == Status.DONE ? aside() : Map.of();
    return aside.isEmpty()
        ? progress
        : new Progress(
            phase == Phase.UNDO ? Status.BROKEN : Status.ASIDE, aside.values().iterator().next());
  }

  /** Hosts of the batch that failed and are to be kept aside, each with the reason. */
  private Map<String, String> aside() {
    Map<String, String> aside = new TreeMap<>(failed.aside());
    if (!aside.isEmpty()) {
      aside.keySet().retainAll(BatchHosts.active(handle, grant.id()));
    }
    return aside;
  }

  private Progress at(Phase phase) {
    return switch (phase) {
      case VERIFY -> verify();
      case FREEZE -> step(phase, JobStep.Freeze);
      case CONFIRM -> check(Check.Kind.CONFIRM, List.of("confirmed", "open"));
      case BEFORE_UNDEPLOY, AFTER_UNDEPLOY, BEFORE_DEPLOY, AFTER_DEPLOY -> hooks(phase);
      case OPEN -> check(Check.Kind.OPEN, List.of("open"));
      case DRAIN -> drain();
      case UPDATE -> step(phase, JobStep.Update);
      case HEALTH -> step(phase, JobStep.Health);
      case RECOVER -> step(phase, JobStep.Recover);
      case UNDO -> undo();
      case RECLAIM -> reclaim();
    };
  }

  /** Hosts of an ended phase that can neither go on nor back, each with the reason. */
  Map<String, String> broken(Phase phase) {
    if (phase == Phase.RECLAIM) {
      return new Reclaim(handle, grant).broken();
    }
    Map<String, String> broken = new LinkedHashMap<>(aside());
    List<JobRow> jobs = new ArrayList<>();
    for (String host : hosts) {
      switch (jobOf(phase, host)) {
        case Undo.By(JobStep step) -> last(step, host).ifPresent(jobs::add);
        case Undo.Impossible(String reason) -> broken.put(host, reason);
        case Undo.Nothing(), Undo.NotYet() -> {}
      }
    }
    if (phase == Phase.DRAIN) {
      broken.putAll(LateDrains.aside(handle, grant, jobs));
    }
    boolean begun = begun(phase, jobs);
    for (JobRow job : jobs) {
      if (job.ended() && StepJudgement.broken(phase, job, jobs, begun)) {
        broken.put(job.host(), reason(job));
      }
    }
    if (grant.hooked()) {
      new HookPhases(handle, grant, failed)
          .open(broken.keySet())
          .forEach((host, open) -> broken.compute(host, (_, reason) -> reason + open));
    }
    return broken;
  }

  /** A host found not to be on the release goes the way of the others; one not read does not. */
  private Progress verify() {
    if (hosts.isEmpty() && aside().isEmpty()) {
      return new Progress(Status.NEEDLESS, "");
    }
    List<String> read = AtRelease.toRead(handle, grant).stream().filter(hosts::contains).toList();
    published += Publication.publish(handle, grant, JobStep.Verify, read);
    List<JobRow> jobs = new ArrayList<>();
    for (String host : read) {
      JobRow job = last(JobStep.Verify, host).orElseThrow();
      if (job.state() == JobState.Failed) {
        Marks.noRelease(handle, host);
      } else {
        jobs.add(job);
      }
    }
    return judge(Phase.VERIFY, jobs);
  }

  /** Where something may be tried on a host that is broken, nothing is decided about it yet. */
  private Progress step(Phase phase, JobStep step) {
    Map<String, JobRow> lasts = JobRow.lasts(handle, grant.id(), step);
    int missing = Publication.publish(handle, grant, lasts, step, hosts);
    if (missing > 0) {
      published += missing;
      return Progress.waiting();
    }
    List<JobRow> jobs = ofHosts(lasts);
    Progress progress = judge(phase, jobs);
    boolean triedFirst = progress.status() == Status.BROKEN && BrokenPhase.step(phase).isPresent();
    return triedFirst ? progress : decided(phase, jobs, progress);
  }

  /** Hosts on which the step broke and of which nothing was decided, each with the reason. */
  Map<String, String> undecided(Phase phase, JobStep step) {
    List<JobRow> jobs = lasts(step);
    Set<String> decided = BlockedBatches.jobs(handle, grant.id());
    boolean begun = begun(phase, jobs);
    return jobs.stream()
        .filter(job -> StepJudgement.broken(phase, job, jobs, begun) && !decided.contains(job.id()))
        .collect(Collectors.toMap(JobRow::host, JobRow::failure));
  }

  /** What becomes of hosts on which the step broke, with nothing left to be tried there. */
  Progress decided(Phase phase, JobStep step) {
    List<JobRow> jobs = lasts(step);
    return unlessAside(phase, decided(phase, jobs, judge(phase, jobs)));
  }

  private Progress judge(Phase phase, List<JobRow> jobs) {
    return StepJudgement.judge(phase, jobs, begun(phase, jobs));
  }

  /** Of updates that nobody was given: whether somebody was given an earlier round of one. */
  private boolean begun(Phase phase, List<JobRow> jobs) {
    return phase == Phase.UPDATE
        && jobs.stream().allMatch(JobRow::endedUntouched)
        && jobs.stream()
            .flatMap(job -> JobRow.lastGiven(handle, grant.id(), job.step(), job.host()).stream())
            .anyMatch(given -> given.attempt() > 0);
  }

  private Progress decided(Phase phase, List<JobRow> jobs, Progress progress) {
    boolean failure = progress.status() == Status.FAILED || progress.status() == Status.BROKEN;
    return failure && grant.onHostFailure() != OnHostFailure.ABORT
        ? failed(phase, jobs, progress)
        : progress;
  }

  /** What a check would let try again later has not failed. */
  private Progress failed(Phase phase, List<JobRow> jobs, Progress progress) {
    List<JobRow> bad =
        jobs.stream().filter(job -> job.state() != JobState.Done && !job.held()).toList();
    Map<String, String> reasons = new TreeMap<>();
    bad.forEach(job -> reasons.put(job.host(), reason(job)));
    JobStep step = jobs.getFirst().step();
    Cause cause = new Cause(step.name(), bad.stream().map(JobRow::id).toList(), reasons);
    boolean wayBack = phase.compareTo(Phase.UPDATE) < 0 || progress.status() == Status.FAILED;
    return switch (failed.of(cause, bad.size() < hosts.size(), wayBack)) {
      case FailedHosts.Wait() -> Progress.waiting();
      case FailedHosts.Back(Progress back) -> back;
      // From now on they are left out; the others are done, or wait for a check.
      case FailedHosts.Aside() ->
          judge(phase, jobs.stream().filter(job -> !bad.contains(job)).toList());
      case FailedHosts.Again() -> again(phase, bad, progress);
    };
  }

  /**
   * No host is recovered that was not judged since it was changed (I5); one that is not well then
   * has failed again.
   */
  private Progress again(Phase phase, List<JobRow> bad, Progress progress) {
    List<JobRow> ill = new ArrayList<>();
    for (JobRow job : bad) {
      Optional<JobRow> judged = SinceChanged.health(handle, grant.id(), job.host());
      boolean well = judged.filter(health -> health.state() == JobState.Done).isPresent();
      if (job.step() != JobStep.Recover || well) {
        Publication.again(handle, grant, job.step(), job.host());
        published++;
      } else if (judged.filter(JobRow::ended).isPresent()
          && !Remediations.did(handle, judged.get())) {
        ill.add(judged.get());
      } else {
        published += Publication.anew(handle, grant, JobStep.Health, job.host());
      }
    }
    // What is asked about some of them is asked once the others have ended.
    return ill.size() < bad.size() ? Progress.waiting() : failed(phase, ill, progress);
  }

  private Progress hooks(Phase phase) {
    if (!grant.hooked()) {
      return Progress.done();
    }
    HookPhases hooks = new HookPhases(handle, grant, failed);
    Progress progress = hooks.forward(phase, hosts);
    published += hooks.published();
    return progress;
  }

  /**
   * A claim may have found the open check too old and asked again; a Drain that waits for that
   * verdict ends with it. Drains that ended without a drained host are a matter of policy.
   */
  private Progress drain() {
    Map<String, JobRow> before = JobRow.lasts(handle, grant.id(), JobStep.Drain);
    if (before.keySet().containsAll(hosts)
        && ofHosts(before).stream().allMatch(job -> job.state() == JobState.Done)) {
      return Progress.done();
    }
    Map<String, DrainTerms> terms = DrainPolicies.of(handle, grant.id(), policies.now());
    // Those that were late are drained again only when that was decided.
    List<String> inTime = new ArrayList<>(hosts);
    inTime.removeAll(LateDrains.hosts(handle, grant));
    published += Publication.drain(handle, grant, before, inTime, host -> timeout(terms, host));
    List<JobRow> jobs = ofHosts(JobRow.lasts(handle, grant.id(), JobStep.Drain));
    Progress progress = judge(Phase.DRAIN, jobs);
    if (progress.status() == Status.FAILED) {
      LateDrains late = new LateDrains(handle, grant, terms);
      progress = late.settle(jobs);
      published += late.published();
      return progress;
    }
    boolean waits = jobs.stream().anyMatch(job -> job.state() == JobState.Pending);
    return waits ? held(Check.Kind.OPEN).orElse(progress) : progress;
  }

  private static Optional<Duration> timeout(Map<String, DrainTerms> terms, String host) {
    return Optional.ofNullable(terms.get(host)).map(DrainTerms::timeout);
  }

  /** The no of the grantor, or of nobody in time. */
  private Optional<Progress> held(Check.Kind kind) {
    return CheckStore.latest(handle, grant.id(), kind)
        .flatMap(CheckStore.Latest::refusal)
        .map(reason -> new Progress(Status.HELD, reason));
  }

  private Progress check(Check.Kind kind, List<String> reached) {
    if (reached.contains(grant.stage())) {
      return Progress.done();
    }
    if (CheckStore.latest(handle, grant.id(), kind).isEmpty()) {
      CheckStore.askIn(handle, grant, kind);
      return Progress.waiting();
    }
    return held(kind).orElse(Progress.waiting());
  }

  private Progress undo() {
    WayBack back = new WayBack(handle, grant, failed, hosts);
    Progress progress = back.pursue();
    published += back.published();
    return progress;
  }

  private Progress reclaim() {
    Reclaim reclaim = new Reclaim(handle, grant);
    Progress progress = reclaim.pursue();
    published += reclaim.published();
    return progress;
  }

  /** The job whose end decides about the host in the phase. */
  private Undo jobOf(Phase phase, String host) {
    return switch (phase) {
      case VERIFY -> new Undo.Nothing();
      case FREEZE -> new Undo.By(JobStep.Freeze);
      case DRAIN -> new Undo.By(JobStep.Drain);
      case UPDATE -> new Undo.By(JobStep.Update);
      case HEALTH -> new Undo.By(JobStep.Health);
      case RECOVER -> new Undo.By(JobStep.Recover);
      case UNDO -> WayBack.undo(handle, grant, host);
      case CONFIRM, OPEN, BEFORE_UNDEPLOY, AFTER_UNDEPLOY, BEFORE_DEPLOY, AFTER_DEPLOY, RECLAIM ->
          new Undo.Nothing();
    };
  }

  /** Why it did not succeed, and what was tried since. */
  private String reason(JobRow job) {
    return Remediations.evidence(handle, job).orElseGet(job::failure);
  }

  private List<JobRow> lasts(JobStep step) {
    return ofHosts(JobRow.lasts(handle, grant.id(), step));
  }

  private List<JobRow> ofHosts(Map<String, JobRow> lasts) {
    return hosts.stream().map(host -> Objects.requireNonNull(lasts.get(host))).toList();
  }

  private Optional<JobRow> last(JobStep step, String host) {
    return JobRow.last(handle, grant.id(), step, host);
  }
}
