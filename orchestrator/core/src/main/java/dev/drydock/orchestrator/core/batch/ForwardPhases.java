package dev.drydock.orchestrator.core.batch;

import dev.drydock.orchestrator.core.batch.PhaseProgress.Status;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchHook;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.GrantStage;
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
  private final SnapshotDraft snapshotDraft;
  private final JobSets jobs;
  private final HostFailures failures;

  ForwardPhases(SnapshotDraft snapshotDraft) {
    this.snapshotDraft = snapshotDraft;
    this.jobs = new JobSets(snapshotDraft);
    this.failures = new HostFailures(snapshotDraft);
  }

  /** The last phase that left a trace: phases before it are done. */
  Phase current() {
    return Phase.forward().reversed().stream().filter(this::begun).findFirst().orElse(Phase.VERIFY);
  }

  private boolean begun(Phase phase) {
    return switch (phase) {
      case CONFIRM ->
          snapshotDraft.check(Check.Kind.CONFIRM).isPresent()
              || snapshotDraft.grant().stage() != GrantStage.PROVISIONAL;
      case OPEN ->
          snapshotDraft.check(Check.Kind.OPEN).isPresent()
              || snapshotDraft.grant().stage() == GrantStage.OPEN;
      case VERIFY, CORDON, DRAIN, UPDATE, HEALTH, RECOVER ->
          snapshotDraft.jobs().stream().anyMatch(job -> job.step() == phase.step().orElseThrow());
      case BEFORE_UNDEPLOY, AFTER_UNDEPLOY, BEFORE_DEPLOY, AFTER_DEPLOY ->
          snapshotDraft.lastOfHooks(Step.HOOK).keySet().stream()
              .anyMatch(number -> hook(number).stage() == phase.stage().orElseThrow());
      case UNDO, RECLAIM -> false;
    };
  }

  private BatchHook hook(int number) {
    return snapshotDraft.hooks().get(number - 1);
  }

  /** Hosts with something to be done, without those that are kept aside. */
  private List<String> hosts() {
    return failures.without(snapshotDraft.unfinished());
  }

  /** Whether hosts are left that something is to be done to. */
  boolean anyLeft() {
    return !snapshotDraft.unfinished().isEmpty();
  }

  /** Pursues one phase. Hosts that are kept aside since are told by the status ASIDE. */
  PhaseProgress pursue(Phase phase) {
    snapshotDraft.act(new Action.InPhase(phase));
    PhaseProgress phaseProgress = at(phase);
    if (phaseProgress.status() != Status.DONE) {
      return phaseProgress;
    }
    if (phase == Phase.CORDON && snapshotDraft.grant().hooked().isEmpty()) {
      writeHooks();
    }
    Map<String, String> aside = failures.aside();
    return aside.isEmpty()
        ? phaseProgress
        : new PhaseProgress(Status.ASIDE, aside.values().iterator().next());
  }

  private PhaseProgress at(Phase phase) {
    return switch (phase) {
      case VERIFY -> verify();
      case CORDON, UPDATE, HEALTH, RECOVER -> new StepPhase(snapshotDraft, phase).pursue(hosts());
      case CONFIRM ->
          check(Check.Kind.CONFIRM, snapshotDraft.grant().stage() != GrantStage.PROVISIONAL);
      case OPEN -> check(Check.Kind.OPEN, snapshotDraft.grant().stage() == GrantStage.OPEN);
      case DRAIN -> drain();
      case BEFORE_UNDEPLOY, AFTER_UNDEPLOY, BEFORE_DEPLOY, AFTER_DEPLOY ->
          snapshotDraft.grant().runsHooks()
              ? new HookStages(snapshotDraft, failures)
                  .forward(phase.stage().orElseThrow(), hosts())
              : PhaseProgress.done();
      case UNDO, RECLAIM -> throw new IllegalArgumentException(phase + " does not lead forward");
    };
  }

  /** From here on nothing is placed on the hosts any more: what policies want is fixed. */
  private void writeHooks() {
    snapshotDraft.act(
        new Action.WriteHooks(
            HookPlan.of(
                snapshotDraft.grant().id(),
                snapshotDraft.read().wanted(),
                snapshotDraft.read().running(),
                snapshotDraft.unfinished())));
  }

  /** A host that is not on the release goes the way of the others; a host not read does not. */
  private PhaseProgress verify() {
    List<String> hosts = hosts();
    if (hosts.isEmpty() && failures.aside().isEmpty()) {
      return new PhaseProgress(Status.NEEDLESS, "");
    }
    List<String> toRead = hosts.stream().filter(this::toRead).toList();
    jobs.publish(Step.VERIFY, toRead);
    List<BatchJob> lasts = lasts(Step.VERIFY, toRead);
    List<BatchJob> unread = lasts.stream().filter(job -> job.status() != JobStatus.FAILED).toList();
    PhaseProgress phaseProgress = StepJudgement.judge(Phase.VERIFY, unread, _ -> false);
    if (!phaseProgress.waits()) {
      lasts.stream()
          .filter(job -> job.status() == JobStatus.FAILED)
          .forEach(job -> snapshotDraft.act(new Action.ForgetRelease(job.host())));
    }
    return phaseProgress;
  }

  private boolean toRead(String host) {
    return snapshotDraft.last(Step.VERIFY, host).isPresent()
        || (snapshotDraft.host(host).seemsDone() && snapshotDraft.nextRound(host) == 1);
  }

  private PhaseProgress drain() {
    List<String> hosts = hosts();
    DrainOverruns overruns = new DrainOverruns(snapshotDraft);
    // Hosts that were late are drained again only when that was decided.
    Set<String> late = overruns.hosts();
    hosts.stream()
        .filter(host -> !late.contains(host))
        .forEach(host -> jobs.drain(host, snapshotDraft.host(host).drain()));
    List<BatchJob> lasts = lasts(Step.DRAIN, hosts);
    PhaseProgress phaseProgress = StepJudgement.judge(Phase.DRAIN, lasts, _ -> false);
    if (phaseProgress.status() == Status.FAILED) {
      return overruns.settle(lasts);
    }
    // A claim may have found the open check too old and asked again: a Drain that waits for that
    // verdict ends with it.
    boolean waits = lasts.stream().anyMatch(job -> job.status() == JobStatus.PENDING);
    return waits ? refused(Check.Kind.OPEN).orElse(phaseProgress) : phaseProgress;
  }

  private PhaseProgress check(Check.Kind kind, boolean passed) {
    if (passed) {
      return PhaseProgress.done();
    }
    if (snapshotDraft.check(kind).isEmpty()) {
      snapshotDraft.act(new Action.AskCheck(kind, 1));
      String step = kind == Check.Kind.CONFIRM ? "Confirm" : "Open";
      snapshotDraft.active().forEach(host -> snapshotDraft.act(new Action.ShowStep(host, step)));
      return PhaseProgress.waiting("verdict of the " + kind.word() + " check");
    }
    return refused(kind).orElse(PhaseProgress.waiting("verdict of the " + kind.word() + " check"));
  }

  /** The no of the grantor, or of nobody in time. */
  private Optional<PhaseProgress> refused(Check.Kind kind) {
    return snapshotDraft
        .check(kind)
        .flatMap(check -> check.refusal(snapshotDraft.now()))
        .map(reason -> new PhaseProgress(Status.REQUEUED, reason));
  }

  /** Hosts of an ended phase that can neither go on nor back, each with the reason. */
  Map<String, String> broken(Phase phase) {
    Map<String, String> broken = new LinkedHashMap<>(failures.aside());
    phase
        .step()
        .filter(step -> step != Step.VERIFY)
        .ifPresent(step -> broken.putAll(brokenAt(phase, step)));
    new OpenHooks(snapshotDraft).addTo(broken);
    return broken;
  }

  private Map<String, String> brokenAt(Phase phase, Step step) {
    List<BatchJob> lasts =
        hosts().stream().flatMap(host -> snapshotDraft.last(step, host).stream()).toList();
    Map<String, String> broken = new LinkedHashMap<>();
    if (phase == Phase.DRAIN) {
      broken.putAll(new DrainOverruns(snapshotDraft).aside(lasts));
    }
    broken.putAll(new StepPhase(snapshotDraft, phase).broken(lasts));
    return broken;
  }

  private List<BatchJob> lasts(Step step, List<String> hosts) {
    return hosts.stream().map(host -> snapshotDraft.last(step, host).orElseThrow()).toList();
  }
}
