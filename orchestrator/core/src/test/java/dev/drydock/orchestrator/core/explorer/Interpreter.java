package dev.drydock.orchestrator.core.explorer;

import dev.drydock.orchestrator.core.batch.SnapshotDraft;
import dev.drydock.orchestrator.core.explorer.Decisions.Decided;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.HostEnd;
import java.util.ArrayList;
import java.util.List;

/**
 * Applies decisions as the orchestrator does. All up to the first quarantine, or to the end of the
 * batch, is one transaction. The locks of the hosts to be quarantined follow, and those hosts leave
 * the batch in the transaction of the next decision. The hold follows the end of a batch. The
 * process may die between any two of these, or something else may happen.
 */
final class Interpreter {
  /** No batch needs more in a row. */
  private static final int LOOPS_MAX = 12;

  private final Decisions decisions;
  private final Rules rules;
  private final Bug bug;

  Interpreter(Decisions decisions, Rules rules, Bug bug) {
    this.decisions = decisions;
    this.rules = rules;
    this.bug = bug;
  }

  /**
   * A state on the way.
   *
   * @param dies whether the process dies there; else only something else may happen first
   */
  record Cut(String where, BatchState world, boolean dies) {}

  Decided decided(BatchSnapshot rows) {
    return decisions.of(rows);
  }

  /** Whether nothing is to be decided. */
  boolean rests(BatchState world) {
    Decided now = decisions.of(world.rows);
    return !world.rows.grant().alive()
        || (now.rest() && now.failure().isEmpty() && world.leaving.isEmpty());
  }

  /**
   * Decides and applies until nothing more can be done.
   *
   * @param world changed by it
   * @return where it may be cut
   */
  List<Cut> drive(BatchState world) {
    List<Cut> cuts = new ArrayList<>();
    for (int loop = 0; loop < LOOPS_MAX; loop++) {
      world.leaving.forEach(action -> leaves(world, action));
      world.leaving = List.of();
      Decided now = decisions.of(world.rows);
      if (!now.failure().isEmpty()) {
        rules.broken("THROWS", now.failure());
        return cuts;
      }
      if (now.rest()) {
        rules.atRest(world, now.actions());
        return cuts;
      }
      int until = inside(now.actions());
      now.actions().subList(0, until).forEach(action -> apply(world, now, action));
      world.rows = until < now.actions().size() ? now.before().get(until) : now.after();
      if (until == now.actions().size()) {
        Decided again = decisions.of(world.rows);
        if (!again.rest()) {
          rules.broken("REST", "again " + again.actions());
        }
      } else if (now.actions().get(until) instanceof Action.EndBatch) {
        end(world, now, until, cuts);
        return cuts;
      } else {
        lock(world, now.actions().subList(until, now.actions().size()), cuts);
      }
    }
    rules.broken("REST", "it never rests");
    return cuts;
  }

  /** How many actions the first transaction applies. */
  private static int inside(List<Action> actions) {
    int until = 0;
    while (until < actions.size()
        && !(actions.get(until) instanceof Action.Quarantine)
        && !(actions.get(until) instanceof Action.EndBatch)) {
      until++;
    }
    return until;
  }

  private void apply(BatchState world, Decided now, Action action) {
    rules.about(world, now.before().get(now.actions().indexOf(action)), action);
    if (action instanceof Action.Return(String host, var end, String _)) {
      world.left(host, end);
    }
  }

  private void lock(BatchState world, List<Action> actions, List<Cut> cuts) {
    cuts.add(new Cut("before the locks", world.copied(), true));
    List<Action.Quarantine> locked = new ArrayList<>();
    for (Action action : actions) {
      if (action instanceof Action.Quarantine host) {
        locked.add(host);
        if (!bug.withoutEtcd()) {
          world.locks[BatchState.of(host.host())] = BatchState.QUARANTINED;
        }
        BatchState dies = world.copied();
        dies.flags |= BatchState.DIED_LOCKED;
        cuts.add(new Cut("after the lock of " + host.host(), dies, true));
      }
    }
    world.leaving = locked;
    cuts.add(new Cut("after the locks", world.copied(), false));
  }

  /** A host whose lock is a quarantine leaves, unless it has. */
  private void leaves(BatchState world, Action.Quarantine action) {
    if (Rules.active(world.rows, action.host())) {
      rules.about(world, world.rows, action);
      SnapshotDraft snapshotDraft = new SnapshotDraft(world.rows);
      snapshotDraft.act(action);
      world.rows = snapshotDraft.snapshot();
      world.left(action.host(), HostEnd.QUARANTINED);
    }
  }

  private void end(BatchState world, Decided now, int at, List<Cut> cuts) {
    Action.EndBatch end = (Action.EndBatch) now.actions().get(at);
    cuts.add(new Cut("before the end", world.copied(), true));
    rules.about(world, world.rows, end);
    end.ends().forEach((host, ended) -> world.left(host, ended.end()));
    if (bug.holdFirst()) {
      rules.holdOver(world);
    }
    world.rows = now.after();
    cuts.add(new Cut("before the hold's end", world.copied(), true));
    world.endHold();
    rules.holdOver(world);
  }
}
