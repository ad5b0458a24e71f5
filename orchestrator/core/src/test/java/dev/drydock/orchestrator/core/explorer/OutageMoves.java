package dev.drydock.orchestrator.core.explorer;

import dev.drydock.orchestrator.core.batch.SnapshotDraft;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchHost;
import dev.drydock.orchestrator.core.model.Grant;
import dev.drydock.orchestrator.core.model.GrantStage;
import dev.drydock.orchestrator.core.model.HostEnd;
import java.util.Arrays;

/** What becomes of a batch when its workflow run or the store of its rows is lost. */
final class OutageMoves {
  private final Steps steps;

  OutageMoves(Steps steps) {
    this.steps = steps;
  }

  void moves() {
    steps.dies();
    BatchState before = steps.before();
    Grant grant = before.rows.grant();
    steps.strikes(
        Fault.LOST_RUN,
        "the run is lost",
        after -> {
          after.forgetLeaving();
          after.rows = Rows.of(after).grant(Rows.reclaimed(grant, false)).done();
          return after;
        });
    if (!before.may(Fault.RESTORED)) {
      return;
    }
    BatchState.Copy copy = before.copy;
    if (copy == null) {
      steps.free(
          "PostgreSQL is copied",
          after ->
              after.copy =
                  new BatchState.Copy(before.rows, Arrays.stream(before.ends).boxed().toList()));
    } else if (!copy.rows().equals(before.rows)) {
      steps.strikes(
          Fault.RESTORED,
          "PostgreSQL is restored",
          after -> {
            restore(after, copy);
            return after;
          });
    }
  }

  /** Hosts whose locks are quarantines left the batch after the copy. */
  private static void restore(BatchState after, BatchState.Copy copy) {
    after.copy = null;
    after.forgetLeaving();
    Arrays.setAll(after.ends, copy.ends()::get);
    Grant lost = Rows.reclaimed(copy.rows().grant(), true);
    // Where no policy can have wanted hooks, that is written down.
    Grant known = copy.rows().wanted().isEmpty() ? lost.hooked(lost.runsHooks()) : lost;
    // A copy from before the grant: recovery makes its row, as of a batch that is open.
    boolean made = copy.rows().jobs().isEmpty() && copy.rows().checks().isEmpty();
    Grant grant = made ? Rows.stage(known, GrantStage.OPEN) : known;
    SnapshotDraft snapshotDraft = new SnapshotDraft(Rows.of(copy.rows()).grant(grant).done());
    for (BatchHost host : copy.rows().hosts()) {
      if (after.locks[BatchState.of(host.name())] == BatchState.QUARANTINED) {
        snapshotDraft.act(new Action.Quarantine(host.name(), "it was quarantined after the copy"));
        after.left(host.name(), HostEnd.QUARANTINED);
      }
    }
    after.rows = snapshotDraft.snapshot();
  }
}
