package dev.drydock.orchestrator.activity;

import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.orchestrator.activity.Progress.Status;
import dev.drydock.orchestrator.jobs.JobBoard;
import dev.drydock.orchestrator.jobs.JobRow;
import dev.drydock.orchestrator.jobs.Marks;
import dev.drydock.orchestrator.store.BatchHosts;
import dev.drydock.orchestrator.store.CheckStore;
import dev.drydock.orchestrator.store.GrantRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** Pursues the phases of one batch inside a transaction that holds the lock of its grant. */
final class BatchPhases {
  private final Handle handle;
  private final GrantRow grant;
  private final Map<String, DrainTerms> drains;
  private final List<String> hosts;
  private int published;

  BatchPhases(Handle handle, GrantRow grant, Map<String, DrainTerms> drains) {
    this.handle = handle;
    this.grant = grant;
    this.drains = drains;
    this.hosts = AtRelease.others(handle, grant.id());
  }

  /** How many jobs were new. */
  int published() {
    return published;
  }

  Progress pursue(Phase phase) {
    if (phase != Phase.UNDO && grant.undo().isPresent()) {
      return new Progress(Status.FAILED, grant.undoReason().orElse(""));
    }
    return switch (phase) {
      case VERIFY -> verify();
      case FREEZE -> step(phase, JobStep.Freeze);
      case CONFIRM -> check(Check.Kind.CONFIRM, List.of("confirmed", "open"));
      case OPEN -> check(Check.Kind.OPEN, List.of("open"));
      case DRAIN -> drain();
      case UPDATE -> step(phase, JobStep.Update);
      case HEALTH -> step(phase, JobStep.Health);
      case RECOVER -> step(phase, JobStep.Recover);
      case UNDO -> undo();
    };
  }

  /** Hosts of an ended phase that can neither go on nor back, each with the reason. */
  Map<String, String> broken(Phase phase) {
    Map<String, String> broken = new LinkedHashMap<>();
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
    for (JobRow job : jobs) {
      if (job.ended() && StepJudgement.broken(phase, job, jobs)) {
        broken.put(job.host(), job.failure());
      }
    }
    return broken;
  }

  /** A host found not to be on the release goes the way of the others; one not read does not. */
  private Progress verify() {
    if (hosts.isEmpty()) {
      return new Progress(Status.NEEDLESS, "");
    }
    List<String> read = AtRelease.toRead(handle, grant).stream().filter(hosts::contains).toList();
    published += JobBoard.publish(handle, grant, JobStep.Verify, read, Map.of());
    List<JobRow> jobs = new ArrayList<>();
    for (String host : read) {
      JobRow job = last(JobStep.Verify, host).orElseThrow();
      if (job.state() == JobState.Failed) {
        Marks.noRelease(handle, host);
      } else {
        jobs.add(job);
      }
    }
    return StepJudgement.judge(Phase.VERIFY, jobs);
  }

  private Progress step(Phase phase, JobStep step) {
    published += JobBoard.publish(handle, grant, step, hosts, Map.of());
    return StepJudgement.judge(phase, lasts(step));
  }

  private Map<String, Duration> timeouts() {
    Map<String, Duration> timeouts = new HashMap<>();
    drains.forEach((host, terms) -> timeouts.put(host, terms.timeout()));
    return timeouts;
  }

  /**
   * A claim may have found the open check too old and asked again; a Drain that waits for that
   * verdict ends with it. Drains that ended without a drained host are a matter of policy.
   */
  private Progress drain() {
    // Those that were late are drained again only when that was decided.
    List<String> inTime = new ArrayList<>(hosts);
    inTime.removeAll(LateDrains.hosts(handle, grant));
    published += JobBoard.publish(handle, grant, JobStep.Drain, inTime, timeouts());
    Progress progress = StepJudgement.judge(Phase.DRAIN, lasts(JobStep.Drain));
    if (progress.status() == Status.FAILED) {
      LateDrains late = new LateDrains(handle, grant, drains);
      progress = late.settle(lasts(JobStep.Drain));
      published += late.published();
      return progress;
    }
    boolean waits = lasts(JobStep.Drain).stream().anyMatch(job -> job.state() == JobState.Pending);
    return waits ? held(Check.Kind.OPEN).orElse(progress) : progress;
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
      CheckStore.ask(handle, grant, kind);
      BatchHosts.step(handle, grant.id(), kind == Check.Kind.CONFIRM ? "Confirm" : "Open");
    }
    return held(kind).orElse(Progress.waiting());
  }

  private Progress undo() {
    // A claim that was live at the turn may have fallen silent since.
    JobBoard.cancelForward(handle, grant);
    boolean waits = false;
    Optional<String> impossible = Optional.empty();
    List<JobRow> jobs = new ArrayList<>();
    for (String host : hosts) {
      switch (undoOf(host)) {
        case Undo.NotYet() -> waits = true;
        case Undo.Nothing() -> {}
        case Undo.Impossible(String reason) -> impossible = Optional.of(reason);
        case Undo.By(JobStep step) -> {
          published += JobBoard.publish(handle, grant, step, List.of(host), Map.of());
          last(step, host).ifPresent(jobs::add);
        }
      }
    }
    Progress progress = waits ? Progress.waiting() : StepJudgement.judge(Phase.UNDO, jobs);
    return progress.status() != Status.WAITING && impossible.isPresent()
        ? new Progress(Status.BROKEN, impossible.get())
        : progress;
  }

  private Undo undoOf(String host) {
    return Undo.of(
        last(JobStep.Freeze, host), JobRow.lastGiven(handle, grant.id(), JobStep.Drain, host));
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
      case UNDO -> undoOf(host);
      case CONFIRM, OPEN -> new Undo.Nothing();
    };
  }

  private List<JobRow> lasts(JobStep step) {
    return hosts.stream().map(host -> last(step, host).orElseThrow()).toList();
  }

  private Optional<JobRow> last(JobStep step, String host) {
    return JobRow.last(handle, grant.id(), step, host);
  }
}
