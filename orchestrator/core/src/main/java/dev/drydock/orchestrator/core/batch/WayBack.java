package dev.drydock.orchestrator.core.batch;

import dev.drydock.impact.core.Hook.Stage;
import dev.drydock.orchestrator.core.batch.Progress.Status;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.Job;
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
 *   <li>Each host is recovered, or its freeze is lifted.
 *   <li>What hooks did before the drain is taken back, on the hosts that are back.
 * </ol>
 */
final class WayBack {
  private final Draft draft;
  private final JobSets jobs;
  private final HostFailures failures;

  WayBack(Draft draft) {
    this.draft = draft;
    this.jobs = new JobSets(draft);
    this.failures = new HostFailures(draft);
  }

  /** What brings one host back. Nothing does while a consumer works on it, also to repair it. */
  static UndoDecision undo(Draft draft, String host) {
    if (worked(draft, host)) {
      return new UndoDecision.NotYet();
    }
    UndoDecision decision =
        UndoDecision.of(
            begun(draft, Step.FREEZE, host),
            // Also if it stopped nothing: its instances may be out of rotation.
            last(draft, Step.DRAIN, host),
            begun(draft, Step.UPDATE, host)
                .filter(job -> !job.ended() || UntouchedHosts.began(draft, host)),
            readSince(draft, host));
    boolean waits = decision instanceof UndoDecision.NotYet;
    // Whether it was drained since the copy no row tells; a recovery brings back either.
    return draft.grant().blind() && !waits && LostRun.foundUntouched(draft, host)
        ? new UndoDecision.By(Step.RECOVER)
        : decision;
  }

  /** Whether a consumer has a job that leads the host forward. A hook is about the batch. */
  private static boolean worked(Draft draft, String host) {
    return draft.jobs().stream()
        .filter(job -> job.host().equals(host) && job.status() == JobStatus.CLAIMED)
        .anyMatch(job -> job.step().leadsForward() && job.step() != Step.HOOK);
  }

  /** The last round that may have begun, or still may. */
  private static Optional<Job> begun(Draft draft, Step step, String host) {
    return draft
        .jobs(step, host)
        .filter(job -> job.givenOrOpen() && !job.untouched())
        .max(Comparator.comparingInt(Job::round));
  }

  /** The last round that somebody was given, or still may be. */
  private static Optional<Job> last(Draft draft, Step step, String host) {
    return draft.jobs(step, host).filter(Job::givenOrOpen).max(Comparator.comparingInt(Job::round));
  }

  /** Whether the host was read after all that leads it forward, and nothing was begun on it. */
  private static boolean readSince(Draft draft, String host) {
    int last =
        Stream.of(Step.FREEZE, Step.DRAIN, Step.UPDATE, Step.REPAIR)
            .flatMap(step -> draft.last(step, host).stream())
            .mapToInt(Job::round)
            .max()
            .orElse(0);
    return draft
        .last(Step.VERIFY, host)
        .filter(job -> job.round() > last && UntouchedHosts.saysUntouched(job))
        .isPresent();
  }

  Progress pursue() {
    draft.act(new Action.InPhase(Phase.UNDO));
    // A claim that was live at the turn may have fallen silent since.
    jobs.cancel(job -> job.step().leadsForward());
    List<String> hosts = hosts();
    Progress progress = draft.grant().runsHooks() ? betweenHooks(hosts) : bringBack(hosts);
    Map<String, String> aside = failures.aside();
    if (progress.status() == Status.DONE && hooksOf(aside.keySet())) {
      return Progress.waiting("hooks of hosts that are kept aside");
    }
    return progress.status() == Status.DONE && !aside.isEmpty()
        ? new Progress(Status.BROKEN, aside.values().iterator().next())
        : progress;
  }

  /** Whether a consumer has a hook of hosts that are kept aside. Nobody is given one any more. */
  private boolean hooksOf(Set<String> aside) {
    Predicate<Job> theirs =
        job ->
            job.hook() > 0
                && draft.hooks().get(job.hook() - 1).hosts().stream()
                    .noneMatch(host -> draft.isActive(host) && !aside.contains(host));
    jobs.cancel(theirs);
    return !aside.isEmpty() && draft.jobs().stream().filter(theirs).anyMatch(job -> !job.ended());
  }

  /** Hosts that were not found to be on the release, without those that are kept aside. */
  private List<String> hosts() {
    return failures.without(draft.unfinished());
  }

  /** Recovers hosts that were drained, and lifts the freeze of the others. */
  private Progress bringBack(List<String> hosts) {
    Optional<String> waits = Optional.empty();
    Optional<String> impossible = Optional.empty();
    List<Job> back = new ArrayList<>();
    for (String host : hosts) {
      switch (undo(draft, host)) {
        case UndoDecision.NotYet() -> waits = Optional.of("jobs of " + host);
        case UndoDecision.Nothing() -> {}
        case UndoDecision.Impossible(String reason) -> impossible = Optional.of(reason);
        case UndoDecision.By(Step step) -> {
          jobs.publish(step, List.of(host));
          draft.last(step, host).ifPresent(back::add);
        }
      }
    }
    Progress progress =
        waits
            .map(Progress::waiting)
            .orElseGet(() -> StepJudgement.judge(Phase.UNDO, back, _ -> true));
    return !progress.waits() && impossible.isPresent()
        ? new Progress(Status.BROKEN, impossible.get())
        : progress;
  }

  /** The same between what takes back the hooks of the batch, in the mirrored order. */
  private Progress betweenHooks(List<String> hosts) {
    HookStages hooks = new HookStages(draft, failures);
    List<String> known =
        hosts.stream()
            .filter(host -> !(undo(draft, host) instanceof UndoDecision.Impossible))
            .toList();
    if (hooks.runs()
        || known.stream().anyMatch(host -> undo(draft, host) instanceof UndoDecision.NotYet)) {
      return Progress.waiting("jobs that lead forward");
    }
    Progress beforeDeploy = hooks.back(Stage.BEFORE_DEPLOY, known);
    if (beforeDeploy.waits()) {
      return beforeDeploy;
    }
    // Hosts whose hooks could not be taken back may just have been put aside.
    Progress progress = bringBack(failures.without(hosts));
    if (progress.waits()) {
      return progress;
    }
    Progress afterDeploy =
        hooks.back(Stage.AFTER_DEPLOY, known.stream().filter(this::broughtBack).toList());
    return afterDeploy.waits() ? afterDeploy : progress;
  }

  private boolean broughtBack(String host) {
    return switch (undo(draft, host)) {
      case UndoDecision.Nothing() -> true;
      case UndoDecision.By(Step step) -> draft.last(step, host).filter(Job::done).isPresent();
      case UndoDecision.NotYet(), UndoDecision.Impossible(String _) -> false;
    };
  }

  /** Hosts that could not be brought back, each with the reason. */
  Map<String, String> broken() {
    Map<String, String> broken = new LinkedHashMap<>(failures.aside());
    for (String host : hosts()) {
      switch (undo(draft, host)) {
        case UndoDecision.By(Step step) ->
            draft
                .last(step, host)
                .filter(job -> job.ended() && !job.done())
                .ifPresent(job -> broken.put(host, job.failure()));
        case UndoDecision.Impossible(String reason) -> broken.put(host, reason);
        case UndoDecision.Nothing(), UndoDecision.NotYet() -> {}
      }
    }
    new OpenHooks(draft).addTo(broken);
    return broken;
  }
}
