package dev.drydock.orchestrator.core.batch;

import dev.drydock.orchestrator.core.batch.Progress.Status;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchHook;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.GrantStage;
import dev.drydock.orchestrator.core.model.Job;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Phase;
import dev.drydock.orchestrator.core.model.Step;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The phases of a batch on its way forward, each pursued as far as it can be now. */
final class ForwardPhases {
  private final Draft draft;
  private final JobSets jobs;
  private final HostFailures failures;

  ForwardPhases(Draft draft) {
    this.draft = draft;
    this.jobs = new JobSets(draft);
    this.failures = new HostFailures(draft);
  }

  /** The last phase that left a trace: phases before it are done. */
  Phase current() {
    return Phase.forward().reversed().stream().filter(this::begun).findFirst().orElse(Phase.VERIFY);
  }

  private boolean begun(Phase phase) {
    return switch (phase) {
      case CONFIRM ->
          draft.check(Check.Kind.CONFIRM).isPresent()
              || draft.grant().stage() != GrantStage.PROVISIONAL;
      case OPEN ->
          draft.check(Check.Kind.OPEN).isPresent() || draft.grant().stage() == GrantStage.OPEN;
      case VERIFY, FREEZE, DRAIN, UPDATE, HEALTH, RECOVER ->
          draft.jobs().stream().anyMatch(job -> job.step() == phase.step().orElseThrow());
      case BEFORE_UNDEPLOY, AFTER_UNDEPLOY, BEFORE_DEPLOY, AFTER_DEPLOY ->
          draft.lastOfHooks(Step.HOOK).keySet().stream()
              .anyMatch(number -> hook(number).stage() == phase.stage().orElseThrow());
      case UNDO, RECLAIM -> false;
    };
  }

  private BatchHook hook(int number) {
    return draft.hooks().get(number - 1);
  }

  /** Hosts with something to be done, without those that are kept aside. */
  private List<String> hosts() {
    return failures.without(draft.unfinished());
  }

  /** Whether hosts are left that something is to be done to. */
  boolean anyLeft() {
    return !draft.unfinished().isEmpty();
  }

  /** Pursues one phase. Hosts that are kept aside since are told by the status ASIDE. */
  Progress pursue(Phase phase) {
    draft.act(new Action.InPhase(phase));
    Progress progress = at(phase);
    if (progress.status() != Status.DONE) {
      return progress;
    }
    if (phase == Phase.FREEZE && draft.grant().hooked().isEmpty()) {
      writeHooks();
    }
    Map<String, String> aside = failures.aside();
    return aside.isEmpty()
        ? progress
        : new Progress(Status.ASIDE, aside.values().iterator().next());
  }

  private Progress at(Phase phase) {
    return switch (phase) {
      case VERIFY -> verify();
      case FREEZE, UPDATE, HEALTH, RECOVER -> new StepPhase(draft, phase).pursue(hosts());
      case CONFIRM -> check(Check.Kind.CONFIRM, draft.grant().stage() != GrantStage.PROVISIONAL);
      case OPEN -> check(Check.Kind.OPEN, draft.grant().stage() == GrantStage.OPEN);
      case DRAIN -> drain();
      case BEFORE_UNDEPLOY, AFTER_UNDEPLOY, BEFORE_DEPLOY, AFTER_DEPLOY ->
          draft.grant().runsHooks()
              ? new HookStages(draft, failures).forward(phase.stage().orElseThrow(), hosts())
              : Progress.done();
      case UNDO, RECLAIM -> throw new IllegalArgumentException(phase + " does not lead forward");
    };
  }

  /** From here on nothing is placed on the hosts any more: what policies want is fixed. */
  private void writeHooks() {
    draft.act(
        new Action.WriteHooks(
            HookPlan.of(
                draft.grant().id(),
                draft.read().wanted(),
                draft.read().running(),
                draft.unfinished())));
  }

  /** A host that is not on the release goes the way of the others; a host not read does not. */
  private Progress verify() {
    List<String> hosts = hosts();
    if (hosts.isEmpty() && failures.aside().isEmpty()) {
      return new Progress(Status.NEEDLESS, "");
    }
    List<String> toRead = hosts.stream().filter(this::toRead).toList();
    jobs.publish(Step.VERIFY, toRead);
    List<Job> lasts = lasts(Step.VERIFY, toRead);
    List<Job> unread = lasts.stream().filter(job -> job.status() != JobStatus.FAILED).toList();
    Progress progress = StepJudgement.judge(Phase.VERIFY, unread, _ -> false);
    if (!progress.waits()) {
      lasts.stream()
          .filter(job -> job.status() == JobStatus.FAILED)
          .forEach(job -> draft.act(new Action.ForgetRelease(job.host())));
    }
    return progress;
  }

  private boolean toRead(String host) {
    return draft.last(Step.VERIFY, host).isPresent()
        || (draft.host(host).seemsDone() && draft.nextRound(host) == 1);
  }

  private Progress drain() {
    List<String> hosts = hosts();
    DrainOverruns overruns = new DrainOverruns(draft);
    // Hosts that were late are drained again only when that was decided.
    Set<String> late = overruns.hosts();
    hosts.stream()
        .filter(host -> !late.contains(host))
        .forEach(host -> jobs.drain(host, draft.host(host).drain()));
    List<Job> lasts = lasts(Step.DRAIN, hosts);
    Progress progress = StepJudgement.judge(Phase.DRAIN, lasts, _ -> false);
    if (progress.status() == Status.FAILED) {
      return overruns.settle(lasts);
    }
    // A claim may have found the open check too old and asked again: a Drain that waits for that
    // verdict ends with it.
    boolean waits = lasts.stream().anyMatch(job -> job.status() == JobStatus.PENDING);
    return waits ? refused(Check.Kind.OPEN).orElse(progress) : progress;
  }

  private Progress check(Check.Kind kind, boolean passed) {
    if (passed) {
      return Progress.done();
    }
    if (draft.check(kind).isEmpty()) {
      draft.act(new Action.AskCheck(kind, 1));
      String step = kind == Check.Kind.CONFIRM ? "Confirm" : "Open";
      draft.active().forEach(host -> draft.act(new Action.ShowStep(host, step)));
      return Progress.waiting("verdict of the " + kind.word() + " check");
    }
    return refused(kind).orElse(Progress.waiting("verdict of the " + kind.word() + " check"));
  }

  /** The no of the grantor, or of nobody in time. */
  private Optional<Progress> refused(Check.Kind kind) {
    return draft
        .check(kind)
        .flatMap(check -> check.refusal(draft.now()))
        .map(reason -> new Progress(Status.HELD, reason));
  }

  /** Hosts of an ended phase that can neither go on nor back, each with the reason. */
  Map<String, String> broken(Phase phase) {
    Map<String, String> broken = new LinkedHashMap<>(failures.aside());
    phase
        .step()
        .filter(step -> step != Step.VERIFY)
        .ifPresent(step -> broken.putAll(brokenAt(phase, step)));
    new OpenHooks(draft).addTo(broken);
    return broken;
  }

  private Map<String, String> brokenAt(Phase phase, Step step) {
    List<Job> lasts = hosts().stream().flatMap(host -> draft.last(step, host).stream()).toList();
    Map<String, String> broken = new LinkedHashMap<>();
    if (phase == Phase.DRAIN) {
      broken.putAll(new DrainOverruns(draft).aside(lasts));
    }
    broken.putAll(new StepPhase(draft, phase).broken(lasts));
    return broken;
  }

  private List<Job> lasts(Step step, List<String> hosts) {
    return hosts.stream().map(host -> draft.last(step, host).orElseThrow()).toList();
  }
}
