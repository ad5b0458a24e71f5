package dev.drydock.orchestrator.core.batch;

import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchHost;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.Remediation;
import dev.drydock.orchestrator.core.model.Remediation.State;
import dev.drydock.orchestrator.core.model.Remediation.Taken;
import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.RepairLoad;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.remediation.RepairPlanner;
import dev.drydock.orchestrator.core.remediation.RepairPlanner.Next;
import dev.drydock.orchestrator.core.remediation.RepairRateLimiter;
import dev.drydock.orchestrator.core.remediation.RepairRateLimiter.Permit;
import dev.drydock.orchestrator.core.remediation.RepairStep;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/**
 * The remediations of a batch: one is begun where a step failed on a host after its update began,
 * and led until the step ended well or no more is to be tried or found out. The batch waits for it.
 */
final class Repairs {
  private final SnapshotDraft snapshotDraft;
  private final RepairApprovalRequests approvals;

  Repairs(SnapshotDraft snapshotDraft) {
    this.snapshotDraft = snapshotDraft;
    this.approvals = new RepairApprovalRequests(snapshotDraft);
  }

  /** Leads every open remediation as far as it can go now. */
  void advance() {
    snapshotDraft.remediations().stream().filter(Remediation::open).forEach(this::advance);
  }

  /**
   * Begins what may be tried and was not. A step is remediated once on a host. Where nothing helped
   * before, the host is only diagnosed.
   *
   * @param failed hosts on which the step failed, each with the reason
   * @return hosts whose remediation is open
   */
  Set<String> take(Step step, Map<String, String> failed) {
    Set<String> open = new TreeSet<>();
    failed.forEach(
        (host, reason) -> {
          if (open(step, host, reason)) {
            open.add(host);
          }
        });
    return open;
  }

  private boolean open(Step step, String host, String reason) {
    Optional<Remediation> last = newest(host).filter(one -> one.state() != State.RESUMED);
    if (last.filter(Remediation::open).isPresent()) {
      return true;
    }
    boolean began = UntouchedHosts.began(snapshotDraft, host);
    Ladder whole = last.isPresent() ? Ladder.NONE : possible(snapshotDraft.host(host));
    Ladder ladder = whole.without(rung -> !began && rung != Rung.CLEAN_DISK);
    if (snapshotDraft.grant().aborted() || had(host, step) || !(began || cleanable(host, step))) {
      return false;
    }
    Remediation begun = Remediation.begun(host, step, ladder, reason, snapshotDraft.now());
    snapshotDraft.act(new Action.BeginRepair(begun));
    advance(begun);
    return true;
  }

  /** Whether policies let room be made for an Update that began nothing for want of it. */
  boolean cleanable(String host, Step step) {
    return step == Step.UPDATE
        && UntouchedHosts.wantsSpace(snapshotDraft, host)
        && snapshotDraft.host(host).ladder().rungs().contains(Rung.CLEAN_DISK)
        && (!had(host, step) || newest(host).filter(Remediation::open).isPresent());
  }

  /** Whether the step was remediated on the host, or is. */
  boolean had(String host, Step step) {
    return snapshotDraft.remediations().stream()
        .anyMatch(one -> one.host().equals(host) && one.step() == step);
  }

  private Optional<Remediation> newest(String host) {
    return snapshotDraft.remediations().stream()
        .filter(one -> one.host().equals(host))
        .reduce((_, later) -> later);
  }

  /** The ladder without what cannot be done to the host. */
  private static Ladder possible(BatchHost host) {
    return host.returnsTo().isPresent()
        ? host.ladder()
        : host.ladder().without(rung -> rung == Rung.ROLL_BACK);
  }

  private void advance(Remediation open) {
    BatchJob failed = snapshotDraft.last(open.step(), open.host()).orElseThrow();
    List<RepairStep> taken = RepairStep.of(open, id -> snapshotDraft.job(id).orElseThrow());
    if (failed.done()) {
      resumed(open, taken);
    } else if (!snapshotDraft.isActive(open.host())) {
      left(open, "its host was taken out of the batch");
    } else if (snapshotDraft.grant().reclaim().isPresent()
        || snapshotDraft.grant().turnedBack().isPresent()) {
      left(open, "its batch does not go on");
    } else if (snapshotDraft.grant().aborted()) {
      if (failed.ended() && taken.stream().allMatch(step -> step.job().ended())) {
        left(open, "people took its host away");
      }
    } else {
      adopt(taken);
      if (failed.ended() && !approvals.awaited(open)) {
        next(open, taken);
      }
    }
  }

  /** The run that works the grant now gives out what an earlier one published. */
  private void adopt(List<RepairStep> taken) {
    JobSets jobs = new JobSets(snapshotDraft);
    taken.stream().map(RepairStep::job).filter(batchJob -> !batchJob.ended()).forEach(jobs::adopt);
  }

  private void next(Remediation open, List<RepairStep> taken) {
    if (leadsNowhere(taken)) {
      chooseRelease(open.host(), false);
    }
    RepairPlanner.About about =
        new RepairPlanner.About(
            open.step(),
            open.ladder(),
            approvals.refused(open),
            HealthSinceChange.passed(snapshotDraft, open.host()),
            snapshotDraft.now());
    switch (RepairPlanner.next(about, taken)) {
      case Next.Waiting() -> {}
      case Next.Do step when step.rung().isPresent() -> climb(open, taken, step);
      case Next.Do step -> begin(open, taken, step.action(), step.rung());
      case Next.Later(String why) -> waits(open, why);
      case Next.Resumed() -> resumed(open, taken);
      case Next.Exhausted(String why) -> exhausted(open, taken, why);
    }
  }

  /** A way back that failed: what follows is about the release of the rollout again. */
  private static boolean leadsNowhere(List<RepairStep> taken) {
    return !taken.isEmpty()
        && taken.getLast().action() == RepairAction.ROLL_BACK
        && taken.getLast().job().ended()
        && !taken.getLast().job().done();
  }

  private void climb(Remediation open, List<RepairStep> taken, Next.Do step) {
    Rung rung = open.ladder().rungs().get(step.rung().orElseThrow());
    if (open.ladder().approve().contains(rung) && !approvals.approved(open, rung)) {
      approvals.ask(open, rung, taken.getLast().says());
      // Once its rollout was aborted nobody is waited for.
      if (!approvals.awaited(open)) {
        next(open, taken);
      }
      return;
    }
    RepairLoad load =
        snapshotDraft
            .read()
            .loads()
            .getOrDefault(open.host(), RepairLoad.NONE)
            .plusActing(actingSince());
    switch (RepairRateLimiter.decide(snapshotDraft.read().limits(), load, step.action())) {
      case Permit.Granted() -> begin(open, taken, step.action(), step.rung());
      case Permit.Wait(String why) ->
          waits(open, "%s waits, %s".formatted(step.action().word(), why));
      case Permit.Stop(String why) -> exhausted(open, taken, why);
    }
  }

  /** On how many hosts of this batch something was begun since the rows were read. */
  private int actingSince() {
    return (int)
        snapshotDraft.actions().stream()
            .filter(one -> one instanceof Action.TakeRepair take && take.taken().action().acts())
            .count();
  }

  private void begin(
      Remediation open, List<RepairStep> taken, RepairAction action, OptionalInt rung) {
    if (action.step(open.step()) == Step.UPDATE) {
      // Until the next Update a host has what the last one brought.
      chooseRelease(open.host(), action == RepairAction.ROLL_BACK);
    }
    String batchJob =
        new JobSets(snapshotDraft).repair(open.host(), action, open.step(), failure(open, taken));
    snapshotDraft.act(
        new Action.TakeRepair(
            open.host(), open.step(), taken.size() + 1, new Taken(action, rung, batchJob)));
    show(open.host(), open.reason() + "; remediation: " + action.word());
  }

  private void chooseRelease(String host, boolean before) {
    if (snapshotDraft.host(host).backTo().isPresent() != before) {
      snapshotDraft.act(new Action.ChooseRelease(host, before));
    }
  }

  /** What a diagnosis is told of what failed last; the host cannot tell it. */
  private static Map<String, String> failure(Remediation open, List<RepairStep> taken) {
    Optional<RepairStep> last =
        taken.reversed().stream()
            .filter(step -> step.action() != RepairAction.DIAGNOSE)
            .filter(step -> step.job().ended() && !step.job().done())
            .filter(step -> !step.job().message().isEmpty())
            .findFirst();
    return Map.of(
        "failure.step",
        last.map(step -> step.action().fails(open.step())).orElse(open.step()).word(),
        "failure.says",
        last.map(step -> step.job().message()).orElse(open.reason()));
  }

  private void resumed(Remediation open, List<RepairStep> taken) {
    String last = tried(open).reversed().stream().findFirst().orElse("");
    String says = last.isEmpty() ? "it ended well by itself" : last + " helped";
    boolean back = last.equals(Rung.ROLL_BACK.word());
    end(open.ended(State.RESUMED, says, back, snapshotDraft.now()), RepairPlanner.signature(taken));
  }

  private void exhausted(Remediation open, List<RepairStep> taken, String why) {
    String tried = String.join(", ", tried(open));
    String says =
        open.ladder().isEmpty()
            ? "diagnosis: " + taken.getLast().found()
            : "remediation tried %s; last %s".formatted(tried.isEmpty() ? "nothing" : tried, why);
    says = open.reason() + "; " + says;
    end(
        open.ended(State.EXHAUSTED, says, false, snapshotDraft.now()),
        RepairPlanner.signature(taken));
  }

  private void left(Remediation open, String says) {
    end(open.ended(State.LEFT, says, false, snapshotDraft.now()), "");
  }

  private void end(Remediation ended, String signature) {
    snapshotDraft.act(new Action.EndRepair(ended, signature));
    if (snapshotDraft.isActive(ended.host())) {
      show(ended.host(), ended.state() == State.RESUMED ? "" : ended.says());
    }
  }

  private void show(String host, String reason) {
    if (!snapshotDraft.host(host).says().equals(reason)) {
      snapshotDraft.act(new Action.ShowReason(host, reason));
    }
  }

  private void waits(Remediation open, String why) {
    show(open.host(), "%s; remediation: %s".formatted(open.reason(), why));
  }

  private static List<String> tried(Remediation open) {
    return open.taken().stream()
        .flatMapToInt(step -> step.rung().stream())
        .mapToObj(rung -> open.ladder().rungs().get(rung).word())
        .distinct()
        .toList();
  }

  /** Why a job did not succeed, and what was tried in vain since. */
  String reason(BatchJob failed) {
    return snapshotDraft.remediations().stream()
        .filter(one -> one.host().equals(failed.host()) && one.step() == failed.step())
        .filter(one -> one.state() == State.EXHAUSTED)
        // A later round that people asked for is another failure.
        .filter(one -> !one.endedAt().orElseThrow().isBefore(failed.createdAt()))
        .findFirst()
        .map(Remediation::says)
        .orElseGet(failed::failure);
  }

  /** Whether a remediation did the job, and not what people asked for since. */
  boolean did(BatchJob batchJob) {
    return snapshotDraft.remediations().stream()
        .flatMap(one -> one.taken().stream())
        .anyMatch(step -> step.job().equals(batchJob.id()));
  }

  /** Why a host was taken back, as the end of a sentence; empty if that is not known. */
  String whyBack(String host) {
    return snapshotDraft.remediations().stream()
        .filter(one -> one.host().equals(host))
        .max(Comparator.comparing(Remediation::wentBack).thenComparing(Remediation::beganAt))
        .map(decisive -> ", as nothing else helped: " + decisive.reason())
        .orElse("");
  }
}
