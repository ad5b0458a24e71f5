package dev.drydock.orchestrator.core.batch;

import dev.drydock.orchestrator.core.batch.PhaseProgress.Status;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Grant;
import dev.drydock.orchestrator.core.model.Phase;
import dev.drydock.orchestrator.core.model.RollbackTarget;
import dev.drydock.orchestrator.core.model.Step;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides what is to be done about a batch, from everything that is known of it:
 *
 * <ol>
 *   <li>A host that is to be quarantined is: its lock may be a quarantine already.
 *   <li>An abort sends the batch back, unless an update may have begun.
 *   <li>Open remediations are led on; the batch waits for them.
 *   <li>The phases follow each other, from the last one that left a trace, until one is not done.
 *       Stages of hooks are skipped where there are no hooks.
 *   <li>If every host is on the release already, the batch ends.
 *   <li>If a check says no, or the hosts are as before the update, the batch turns back: what was
 *       begun is undone, and the undo is verified.
 *   <li>Hosts on which nothing was begun come back and wait again, whatever ended badly there. A
 *       step that nobody claims sends the batch back before the drain, and is waited for after it.
 *   <li>A host that can go neither on nor back, or that policies keep aside, is quarantined. The
 *       others go on.
 *   <li>If an earlier run was lost, no host goes forward that it had not begun to update. Those it
 *       had are read, and come back, updated to the end if need be, or are quarantined. The others
 *       go back.
 *   <li>When nothing is left to be done, the batch ends.
 * </ol>
 *
 * <p>Properties: the same snapshot gives the same actions. Deciding again once they are applied
 * gives nothing new until a job ends, a check or people answer, or time passes.
 */
public final class BatchPlanner {
  private final SnapshotDraft snapshotDraft;

  private BatchPlanner(BatchSnapshot snapshot) {
    this.snapshotDraft = new SnapshotDraft(snapshot);
  }

  /**
   * Decides. The last action is {@link Action.Wait}, or {@link Action.EndBatch}; there is none for
   * a batch that has ended.
   */
  public static List<Action> decide(BatchSnapshot snapshot) {
    return snapshot.grant().alive() ? new BatchPlanner(snapshot).actions() : List.of();
  }

  private List<Action> actions() {
    condemned();
    new JobSets(snapshotDraft).cancelOfLeft();
    abort();
    new Repairs(snapshotDraft).advance();
    Grant grant = snapshotDraft.grant();
    Optional<PhaseProgress> waits;
    if (grant.turnedBack().isPresent()) {
      waits = undo();
    } else if (grant.reclaim().isPresent()) {
      waits = reclaim();
    } else {
      waits = forward();
    }
    waits.ifPresent(
        phaseProgress ->
            snapshotDraft.act(
                new Action.Wait(NextWakeup.of(snapshotDraft.snapshot()), phaseProgress.reason())));
    return snapshotDraft.actions();
  }

  /** A process may have died after the lock of a host became a quarantine. */
  private void condemned() {
    for (String host : snapshotDraft.active()) {
      snapshotDraft
          .host(host)
          .condemned()
          .ifPresent(reason -> snapshotDraft.act(new Action.Quarantine(host, reason)));
    }
  }

  /** Batches whose update has begun go on to their end: half an update is worse than a whole. */
  private void abort() {
    Optional<String> aborted = snapshotDraft.read().aborted();
    Grant grant = snapshotDraft.grant();
    boolean updateBegan =
        grant.blind()
            || snapshotDraft.jobs().stream()
                .anyMatch(job -> job.step() == Step.UPDATE && job.given() && !job.untouched());
    if (aborted.isPresent() && grant.turnedBack().isEmpty() && !updateBegan) {
      goBack(RollbackTarget.CANCELLED, aborted.get());
    }
  }

  /** What the batch waits for; empty once it ended. */
  private Optional<PhaseProgress> forward() {
    ForwardPhases phases = new ForwardPhases(snapshotDraft);
    if (!phases.anyLeft()) {
      return end();
    }
    Optional<Phase> phase = Optional.of(phases.current());
    while (phase.isPresent()) {
      Phase now = phase.get();
      PhaseProgress phaseProgress = phases.pursue(now);
      switch (phaseProgress.status()) {
        case WAITING -> {
          return Optional.of(phaseProgress);
        }
        case NEEDLESS -> {
          return end();
        }
        case REQUEUED -> {
          return goBackAndUndo(RollbackTarget.REQUEUED, phaseProgress);
        }
        case FAILED, REFUSED -> {
          return goBackAndUndo(RollbackTarget.REVERTED, phaseProgress);
        }
        case BROKEN, ASIDE -> {
          // Before the update every host can be brought back, except those the undo finds unknown.
          if (phaseProgress.status() == Status.BROKEN && now.beforeUpdate()) {
            return goBackAndUndo(RollbackTarget.REVERTED, phaseProgress);
          }
          quarantine(phases.broken(now));
          if (!phases.anyLeft()) {
            return end();
          }
        }
        case DONE -> {}
      }
      phase = now.next();
    }
    return end();
  }

  private Optional<PhaseProgress> goBackAndUndo(RollbackTarget end, PhaseProgress because) {
    goBack(end, because.reason());
    return undo();
  }

  private void goBack(RollbackTarget end, String reason) {
    snapshotDraft.act(new Action.GoBack(end, reason));
    new JobSets(snapshotDraft).cancel(job -> job.step().leadsForward());
  }

  private Optional<PhaseProgress> undo() {
    RollbackPhase back = new RollbackPhase(snapshotDraft);
    PhaseProgress phaseProgress = back.pursue();
    if (phaseProgress.waits()) {
      return Optional.of(phaseProgress);
    }
    if (phaseProgress.status() == Status.BROKEN) {
      quarantine(back.broken());
    }
    return end();
  }

  private Optional<PhaseProgress> reclaim() {
    LostRunRecovery lost = new LostRunRecovery(snapshotDraft);
    PhaseProgress phaseProgress = lost.pursue();
    while (phaseProgress.status() == Status.BROKEN) {
      quarantine(lost.broken());
      if (!new ForwardPhases(snapshotDraft).anyLeft()) {
        return end();
      }
      phaseProgress = lost.pursue();
    }
    return switch (phaseProgress.status()) {
      case WAITING -> Optional.of(phaseProgress);
      case REQUEUED -> goBackAndUndo(RollbackTarget.REQUEUED, phaseProgress);
      case NEEDLESS -> end();
      case DONE, FAILED, REFUSED, ASIDE, BROKEN ->
          throw new IllegalStateException("a lost run is never " + phaseProgress.status());
    };
  }

  private void quarantine(Map<String, String> hosts) {
    hosts.forEach((host, reason) -> snapshotDraft.act(new Action.Condemn(host, reason)));
    hosts.forEach((host, reason) -> snapshotDraft.act(new Action.Quarantine(host, reason)));
  }

  private Optional<PhaseProgress> end() {
    return new BatchEnding(snapshotDraft).end();
  }
}
