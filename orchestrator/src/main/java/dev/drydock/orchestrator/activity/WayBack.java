package dev.drydock.orchestrator.activity;

import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.impact.core.Hook.Stage;
import dev.drydock.orchestrator.activity.Progress.Status;
import dev.drydock.orchestrator.jobs.Forward;
import dev.drydock.orchestrator.jobs.JobRow;
import dev.drydock.orchestrator.jobs.Publication;
import dev.drydock.orchestrator.store.GrantRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Brings a batch back to where it was, inside a transaction that holds the lock of its grant. Where
 * teams run hooks its hosts go together:
 *
 * <ol>
 *   <li>Whatever leads forward has ended.
 *   <li>What hooks did after the drain is taken back.
 *   <li>Each host is recovered, or its freeze is lifted.
 *   <li>What hooks did before the drain is taken back, on the hosts that are back.
 * </ol>
 */
final class WayBack {
  private final Handle handle;
  private final GrantRow grant;
  private final FailedHosts failed;
  private final List<String> hosts;
  private int published;

  WayBack(Handle handle, GrantRow grant, FailedHosts failed, List<String> hosts) {
    this.handle = handle;
    this.grant = grant;
    this.failed = failed;
    this.hosts = List.copyOf(hosts);
  }

  /** How many jobs were new. */
  int published() {
    return published;
  }

  Progress pursue() {
    // A claim that was live at the turn may have fallen silent since.
    Forward.cancel(handle, grant);
    return grant.hooked() ? between() : bringBack(hosts);
  }

  /** Recovers what was drained, lets go what was frozen. */
  private Progress bringBack(List<String> wanted) {
    boolean waits = false;
    Optional<String> impossible = Optional.empty();
    List<JobRow> jobs = new ArrayList<>();
    for (String host : wanted) {
      switch (undo(host)) {
        case Undo.NotYet() -> waits = true;
        case Undo.Nothing() -> {}
        case Undo.Impossible(String reason) -> impossible = Optional.of(reason);
        case Undo.By(JobStep step) -> {
          published += Publication.publish(handle, grant, step, List.of(host));
          last(step, host).ifPresent(jobs::add);
        }
      }
    }
    Progress progress = waits ? Progress.waiting() : StepJudgement.judge(Phase.UNDO, jobs, false);
    return progress.status() != Status.WAITING && impossible.isPresent()
        ? new Progress(Status.BROKEN, impossible.get())
        : progress;
  }

  /** The same between what takes back the hooks of the batch, in the mirrored order. */
  private Progress between() {
    HookPhases hooks = new HookPhases(handle, grant, failed);
    Progress progress = between(hooks);
    published += hooks.published();
    return progress;
  }

  private Progress between(HookPhases hooks) {
    List<String> known =
        hosts.stream().filter(host -> !(undo(host) instanceof Undo.Impossible)).toList();
    boolean runs =
        hooks.runs() || known.stream().anyMatch(host -> undo(host) instanceof Undo.NotYet);
    if (runs || hooks.back(Stage.BEFORE_DEPLOY, known).status() == Status.WAITING) {
      return Progress.waiting();
    }
    // What could not be taken back may just have put hosts aside.
    Progress progress = bringBack(failed.without(hosts));
    if (progress.status() == Status.WAITING) {
      return progress;
    }
    List<String> back = known.stream().filter(this::broughtBack).toList();
    return hooks.back(Stage.AFTER_DEPLOY, back).status() == Status.WAITING
        ? Progress.waiting()
        : progress;
  }

  private boolean broughtBack(String host) {
    return switch (undo(host)) {
      case Undo.Nothing() -> true;
      case Undo.By(JobStep step) ->
          last(step, host).filter(job -> job.state() == JobState.Done).isPresent();
      case Undo.NotYet(), Undo.Impossible(String _) -> false;
    };
  }

  /** What brings one host back. */
  static Undo undo(Handle handle, GrantRow grant, String host) {
    return Undo.of(
        JobRow.lastGiven(handle, grant.id(), JobStep.Freeze, host),
        JobRow.lastGiven(handle, grant.id(), JobStep.Drain, host),
        JobRow.lastGiven(handle, grant.id(), JobStep.Update, host));
  }

  private Undo undo(String host) {
    return undo(handle, grant, host);
  }

  private Optional<JobRow> last(JobStep step, String host) {
    return JobRow.last(handle, grant.id(), step, host);
  }
}
