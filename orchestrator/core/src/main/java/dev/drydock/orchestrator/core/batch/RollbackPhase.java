package dev.drydock.orchestrator.core.batch;

import dev.drydock.impact.core.PolicyHook.Stage;
import dev.drydock.orchestrator.core.batch.PhaseProgress.Status;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Phase;
import dev.drydock.orchestrator.core.model.Step;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Brings a batch back to where it was. Where teams run hooks its hosts go together:
 *
 * <ol>
 *   <li>Every job that leads forward has ended.
 *   <li>What hooks did after the drain is taken back.
 *   <li>Each host is recovered, or its cordon is lifted.
 *   <li>What hooks did before the drain is taken back, on the hosts that are back.
 * </ol>
 */
final class RollbackPhase {
  private final SnapshotDraft snapshotDraft;
  private final JobSets jobs;
  private final HostFailures failures;

  RollbackPhase(SnapshotDraft snapshotDraft) {
    this.snapshotDraft = snapshotDraft;
    this.jobs = new JobSets(snapshotDraft);
    this.failures = new HostFailures(snapshotDraft);
  }

  /** What brings one host back. Nothing does while a consumer works on it, also to repair it. */
  static UndoDecision undo(SnapshotDraft snapshotDraft, String host) {
    if (worked(snapshotDraft, host)) {
      return new UndoDecision.NotYet();
    }
    UndoDecision decision =
        UndoDecision.of(
            begun(snapshotDraft, Step.CORDON, host),
            // Also if it stopped nothing: its instances may be out of rotation.
            last(snapshotDraft, Step.DRAIN, host),
            begun(snapshotDraft, Step.UPDATE, host)
                .filter(job -> !job.ended() || UntouchedHosts.began(snapshotDraft, host)),
            readSince(snapshotDraft, host));
    boolean waits = decision instanceof UndoDecision.NotYet;
    // Whether it was drained since the copy no row tells; a recovery brings back either.
    return snapshotDraft.grant().blind()
            && !waits
            && LostRunRecovery.foundUntouched(snapshotDraft, host)
        ? new UndoDecision.By(Step.RECOVER)
        : decision;
  }

  /** Whether a consumer has a job that leads the host forward. A hook is about the batch. */
  private static boolean worked(SnapshotDraft snapshotDraft, String host) {
    return snapshotDraft.jobs().stream()
        .filter(job -> job.host().equals(host) && job.status() == JobStatus.CLAIMED)
        .anyMatch(job -> job.step().leadsForward() && job.step() != Step.HOOK);
  }

  /** The last round that may have begun, or still may. */
  private static Optional<BatchJob> begun(SnapshotDraft snapshotDraft, Step step, String host) {
    return snapshotDraft
        .jobs(step, host)
        .filter(job -> job.givenOrOpen() && !job.untouched())
        .max(Comparator.comparingInt(BatchJob::round));
  }

  /** The last round that somebody was given, or still may be. */
  private static Optional<BatchJob> last(SnapshotDraft snapshotDraft, Step step, String host) {
    return snapshotDraft
        .jobs(step, host)
        .filter(BatchJob::givenOrOpen)
        .max(Comparator.comparingInt(BatchJob::round));
  }

  /** Whether the host was read after all that leads it forward, and nothing was begun on it. */
  private static boolean readSince(SnapshotDraft snapshotDraft, String host) {
    int last =
        Stream.of(Step.CORDON, Step.DRAIN, Step.UPDATE, Step.REPAIR)
            .flatMap(step -> snapshotDraft.last(step, host).stream())
            .mapToInt(BatchJob::round)
            .max()
            .orElse(0);
    return snapshotDraft
        .last(Step.VERIFY, host)
        .filter(job -> job.round() > last && UntouchedHosts.saysUntouched(job))
        .isPresent();
  }

  PhaseProgress pursue() {
    snapshotDraft.act(new Action.InPhase(Phase.UNDO));
    // A claim that was live at the turn may have fallen silent since.
    jobs.cancel(job -> job.step().leadsForward());
    List<String> hosts = hosts();
    PhaseProgress phaseProgress =
        snapshotDraft.grant().runsHooks() ? betweenHooks(hosts) : bringBack(hosts);
    Map<String, String> aside = failures.aside();
    if (phaseProgress.status() == Status.DONE && hooksOf(aside.keySet())) {
      return PhaseProgress.waiting("hooks of hosts that are kept aside");
    }
    return phaseProgress.status() == Status.DONE && !aside.isEmpty()
        ? new PhaseProgress(Status.BROKEN, aside.values().iterator().next())
        : phaseProgress;
  }

  /** Whether a consumer has a hook of hosts that are kept aside. Nobody is given one any more. */
  private boolean hooksOf(Set<String> aside) {
    Predicate<BatchJob> theirs =
        job ->
            job.hook() > 0
                && snapshotDraft.hooks().get(job.hook() - 1).hosts().stream()
                    .noneMatch(host -> snapshotDraft.isActive(host) && !aside.contains(host));
    jobs.cancel(theirs);
    return !aside.isEmpty()
        && snapshotDraft.jobs().stream().filter(theirs).anyMatch(job -> !job.ended());
  }

  /** Hosts that were not found to be on the release, without those that are kept aside. */
  private List<String> hosts() {
    return failures.without(snapshotDraft.unfinished());
  }

  /** Recovers hosts that were drained, and lifts the cordon of the others. */
  private PhaseProgress bringBack(List<String> hosts) {
    Optional<String> waits = Optional.empty();
    Optional<String> impossible = Optional.empty();
    List<BatchJob> back = new ArrayList<>();
    for (String host : hosts) {
      switch (undo(snapshotDraft, host)) {
        case UndoDecision.NotYet() -> waits = Optional.of("jobs of " + host);
        case UndoDecision.Nothing() -> {}
        case UndoDecision.Impossible(String reason) -> impossible = Optional.of(reason);
        case UndoDecision.By(Step step) -> {
          jobs.publish(step, List.of(host));
          snapshotDraft.last(step, host).ifPresent(back::add);
        }
      }
    }
    PhaseProgress phaseProgress =
        waits
            .map(PhaseProgress::waiting)
            .orElseGet(() -> StepJudgement.judge(Phase.UNDO, back, _ -> true));
    return !phaseProgress.waits() && impossible.isPresent()
        ? new PhaseProgress(Status.BROKEN, impossible.get())
        : phaseProgress;
  }

  /** The same between what takes back the hooks of the batch, in the mirrored order. */
  private PhaseProgress betweenHooks(List<String> hosts) {
    HookStages hooks = new HookStages(snapshotDraft, failures);
    List<String> known =
        hosts.stream()
            .filter(host -> !(undo(snapshotDraft, host) instanceof UndoDecision.Impossible))
            .toList();
    if (hooks.runs()
        || known.stream()
            .anyMatch(host -> undo(snapshotDraft, host) instanceof UndoDecision.NotYet)) {
      return PhaseProgress.waiting("jobs that lead forward");
    }
    PhaseProgress beforeDeploy = hooks.back(Stage.BEFORE_DEPLOY, known);
    if (beforeDeploy.waits()) {
      return beforeDeploy;
    }
    // Hosts whose hooks could not be taken back may just have been put aside.
    PhaseProgress phaseProgress = bringBack(failures.without(hosts));
    if (phaseProgress.waits()) {
      return phaseProgress;
    }
    PhaseProgress afterDeploy =
        hooks.back(Stage.AFTER_DEPLOY, known.stream().filter(this::broughtBack).toList());
    return afterDeploy.waits() ? afterDeploy : phaseProgress;
  }

  private boolean broughtBack(String host) {
    return switch (undo(snapshotDraft, host)) {
      case UndoDecision.Nothing() -> true;
      case UndoDecision.By(Step step) ->
          snapshotDraft.last(step, host).filter(BatchJob::done).isPresent();
      case UndoDecision.NotYet(), UndoDecision.Impossible(String _) -> false;
    };
  }

  /** Hosts that could not be brought back, each with the reason. */
  Map<String, String> broken() {
    Map<String, String> broken = new LinkedHashMap<>(failures.aside());
    for (String host : hosts()) {
      switch (undo(snapshotDraft, host)) {
        case UndoDecision.By(Step step) ->
            snapshotDraft
                .last(step, host)
                .filter(job -> job.ended() && !job.done())
                .ifPresent(job -> broken.put(host, job.failure()));
        case UndoDecision.Impossible(String reason) -> broken.put(host, reason);
        case UndoDecision.Nothing(), UndoDecision.NotYet() -> {}
      }
    }
    new OpenHooks(snapshotDraft).addTo(broken);
    return broken;
  }
}
