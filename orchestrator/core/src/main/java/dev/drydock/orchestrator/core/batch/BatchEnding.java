package dev.drydock.orchestrator.core.batch;

import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.Action.EndBatch.Ended;
import dev.drydock.orchestrator.core.model.BatchHost;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.Grant.TurnedBack;
import dev.drydock.orchestrator.core.model.HostEnd;
import dev.drydock.orchestrator.core.model.RollbackTarget;
import dev.drydock.orchestrator.core.model.Step;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The end of a batch: results first, the hold after (protocol P8). Refuses to write what was not
 * verified (I5).
 */
final class BatchEnding {
  private final SnapshotDraft snapshotDraft;

  BatchEnding(SnapshotDraft snapshotDraft) {
    this.snapshotDraft = snapshotDraft;
  }

  /** Ends the batch, or tells which job it waits for. */
  Optional<PhaseProgress> end() {
    if (snapshotDraft.grant().aborted()) {
      // The board took them back from consumers that were not let go on.
      new JobSets(snapshotDraft).cancel(_ -> true);
    }
    new JobSets(snapshotDraft).cancelOfLeft();
    Optional<BatchJob> open =
        snapshotDraft.jobs().stream().filter(batchJob -> !batchJob.ended()).findFirst();
    if (open.isPresent()) {
      return Optional.of(PhaseProgress.waiting(open.get().id()));
    }
    requireHooks();
    // A host may have left in this decision: nothing is tried there any more.
    new Repairs(snapshotDraft).advance();
    Map<String, Ended> ends = new TreeMap<>();
    snapshotDraft.active().forEach(host -> ends.put(host, of(host)));
    snapshotDraft.act(new Action.EndBatch(ends, state(ends)));
    return Optional.empty();
  }

  private Ended of(String host) {
    BatchHost.Known known = snapshotDraft.host(host).known();
    if (!known.supersededBy().isEmpty()) {
      return new Ended(HostEnd.SKIPPED, known.supersededBy());
    }
    Optional<BatchJob> needless = snapshotDraft.last(Step.VERIFY, host).filter(BatchJob::done);
    if (needless.isPresent()) {
      return known.down().isEmpty()
          ? new Ended(HostEnd.SKIPPED, "nothing to do: " + needless.get().message())
          : new Ended(HostEnd.REVERTED, outOfService(host, known.down()));
    }
    Optional<TurnedBack> back = snapshotDraft.grant().turnedBack();
    if (back.isPresent()) {
      requireBroughtBack(host);
      return turnedBack(host, back.get());
    }
    Optional<BatchJob> spared = UntouchedHosts.spared(snapshotDraft, host);
    if (spared.isPresent()) {
      requireDone(Step.RECOVER, host);
      return untouched(spared.get());
    }
    requireRecovered(host);
    Action.Return returned = returned(snapshotDraft, host, "");
    return new Ended(returned.end(), returned.reason());
  }

  /**
   * A host that waits again may have a reason of its own that only people can mend. One that was
   * not drained in time and stopped nothing has not failed, whatever became of the others.
   */
  private Ended turnedBack(String host, TurnedBack back) {
    if (back.end() == RollbackTarget.REVERTED
        && UntouchedHosts.lateUntouched(snapshotDraft, host)) {
      return new Ended(HostEnd.REQUEUED, back.reason());
    }
    return UntouchedHosts.refused(snapshotDraft, host)
        .filter(_ -> back.end() == RollbackTarget.REQUEUED)
        .map(BatchEnding::untouched)
        .orElseGet(() -> new Ended(back.end().end(), back.reason()));
  }

  private static Ended untouched(BatchJob batchJob) {
    return new Ended(
        UntouchedHosts.forPeople(batchJob) ? HostEnd.REVERTED : HostEnd.REQUEUED,
        UntouchedHosts.says(batchJob));
  }

  /** Nothing was begun there, and what is down there nobody of ours took down. */
  private static String outOfService(String host, String down) {
    return "not touched: on the release, but %s; start what belongs there, or have it recovered with: drydock host quarantine %s --reason TEXT, then drydock host return %s"
        .formatted(down, host, host);
  }

  /**
   * A host went all the way and serves again: on the release of its rollout, or on the release it
   * was taken back to as nothing else helped.
   *
   * @param says how that came about, where it is not as always
   */
  static Action.Return returned(SnapshotDraft snapshotDraft, String host, String says) {
    return snapshotDraft
        .host(host)
        .backTo()
        .map(
            release ->
                new Action.Return(
                    host,
                    HostEnd.REVERTED,
                    "taken back to release " + release + new Repairs(snapshotDraft).whyBack(host)))
        .orElseGet(() -> new Action.Return(host, HostEnd.UPGRADED, says));
  }

  /** What people have to look after counts most, then what was done, then what was not. */
  private HostEnd state(Map<String, Ended> ends) {
    if (snapshotDraft.quarantined()) {
      return HostEnd.QUARANTINED;
    }
    Set<HostEnd> outcomes = EnumSet.noneOf(HostEnd.class);
    ends.values().forEach(ended -> outcomes.add(ended.end()));
    // Hosts of a reclaimed batch that are still in it were not updated; the others were.
    return switch (outcomes.size()) {
      case 0 -> HostEnd.UPGRADED;
      case 1 -> outcomes.iterator().next();
      default ->
          snapshotDraft.grant().turnedBack().map(back -> back.end().end()).orElse(HostEnd.UPGRADED);
    };
  }

  private void requireHooks() {
    OpenHooks hooks = new OpenHooks(snapshotDraft);
    List<String> open =
        snapshotDraft.grant().turnedBack().isEmpty()
            ? hooks.ahead(snapshotDraft.active())
            : hooks.of(snapshotDraft.active()).values().stream().flatMap(List::stream).toList();
    if (!open.isEmpty()) {
      throw cannotEnd(open + " are not done");
    }
  }

  private void requireBroughtBack(String host) {
    switch (RollbackPhase.undo(snapshotDraft, host)) {
      case UndoDecision.Nothing() -> {}
      case UndoDecision.By(Step step) -> requireDone(step, host);
      case UndoDecision.NotYet() -> throw cannotEnd(host + " is still being worked on");
      case UndoDecision.Impossible(String reason) -> throw cannotEnd(host + ": " + reason);
    }
  }

  private void requireRecovered(String host) {
    requireDone(Step.RECOVER, host);
    if (!HealthSinceChange.passed(snapshotDraft, host)) {
      throw cannotEnd("health of " + host + " did not pass since it was changed");
    }
  }

  private void requireDone(Step step, String host) {
    if (snapshotDraft.last(step, host).filter(BatchJob::done).isEmpty()) {
      throw cannotEnd(step.word() + " of " + host + " is not done");
    }
  }

  private IllegalStateException cannotEnd(String why) {
    return new IllegalStateException("grant " + snapshotDraft.grant().id() + " cannot end: " + why);
  }
}
