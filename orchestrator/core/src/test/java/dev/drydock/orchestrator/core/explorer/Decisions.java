package dev.drydock.orchestrator.core.explorer;

import dev.drydock.orchestrator.core.batch.SnapshotDraft;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Phase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What is decided of rows, and the rows as they become by it. Equal rows are decided once. */
final class Decisions {
  /** Breadth first, equal rows are met soon after each other. */
  private static final int KNOWN_MAX = 20_000;

  private final Function<BatchSnapshot, List<Action>> planner;
  private final Map<StateHash.Key, Decided> known = new HashMap<>();

  Decisions(Function<BatchSnapshot, List<Action>> planner) {
    this.planner = planner;
  }

  /**
   * A decision.
   *
   * @param before the rows before each action, as far as a rule looks at them
   * @param after the rows after all of them
   * @param rest whether it writes nothing
   * @param phase where the batch is
   * @param failure what was thrown; empty if nothing was
   */
  record Decided(
      List<Action> actions,
      List<BatchSnapshot> before,
      BatchSnapshot after,
      boolean rest,
      Phase phase,
      String failure) {}

  Decided of(BatchSnapshot rows) {
    StateHash stateHash = new StateHash();
    stateHash.rows(rows);
    if (known.size() > KNOWN_MAX) {
      known.clear();
    }
    return known.computeIfAbsent(stateHash.key(), _ -> decide(rows));
  }

  private Decided decide(BatchSnapshot rows) {
    List<BatchSnapshot> before = new ArrayList<>();
    Phase phase = Phase.VERIFY;
    boolean rest = true;
    List<Action> actions;
    SnapshotDraft snapshotDraft = new SnapshotDraft(rows);
    try {
      actions = planner.apply(rows);
      BatchSnapshot last = rows;
      for (Action action : actions) {
        if (judged(action)) {
          last = snapshotDraft.snapshot();
        }
        before.add(last);
        snapshotDraft.act(action);
        if (action instanceof Action.InPhase(Phase next)) {
          phase = next;
        } else if (!(action instanceof Action.Wait)) {
          rest = false;
        }
      }
    } catch (RuntimeException failed) {
      return new Decided(List.of(), List.of(), rows, false, phase, failed.toString());
    }
    return new Decided(actions, before, rest ? rows : snapshotDraft.snapshot(), rest, phase, "");
  }

  private static boolean judged(Action action) {
    return action instanceof Action.Publish
        || action instanceof Action.Quarantine
        || action instanceof Action.Return
        || action instanceof Action.EndBatch;
  }
}
