package dev.drydock.orchestrator.core.explorer;

import dev.drydock.orchestrator.core.explorer.Decisions.Decided;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.HostEnd;
import java.util.ArrayList;
import java.util.List;

/**
 * Applies decisions as the orchestrator does. All up to the first quarantine of a host whose lock
 * in etcd is none yet is one transaction. Then the locks of all hosts that the decision quarantines
 * follow, and then what is decided after that. The hold follows the end of a batch. The process may
 * die between any two of these.
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

  /** A state on the way, where the process may die. */
  record Cut(String where, World world) {}

  /**
   * Decides and applies until nothing more can be done.
   *
   * @param world changed by it
   * @return where it may die
   */
  List<Cut> drive(World world) {
    List<Cut> cuts = new ArrayList<>();
    for (int loop = 0; loop < LOOPS_MAX; loop++) {
      Decided now = decisions.of(world.rows);
      if (!now.failure().isEmpty()) {
        rules.broken("THROWS", now.failure());
        return cuts;
      }
      if (now.rest()) {
        rules.atRest(world, now.actions());
        return cuts;
      }
      int until = bug.withoutEtcd() ? now.actions().size() : firstUnlocked(world, now.actions());
      for (int i = 0; i < until; i++) {
        Action action = now.actions().get(i);
        rules.about(world, now.before().get(i), action);
        leave(world, action);
      }
      if (until < now.actions().size()) {
        world.rows = now.before().get(until);
        cuts.add(new Cut("before the locks", world.copied()));
        lock(world, now.actions().subList(until, now.actions().size()), cuts);
      } else {
        apply(world, now, cuts);
        if (!world.rows.grant().alive()) {
          return cuts;
        }
        if (!decisions.of(world.rows).rest()) {
          rules.broken("REST", "again " + decisions.of(world.rows).actions());
        }
      }
    }
    rules.broken("REST", "it never rests");
    return cuts;
  }

  private void lock(World world, List<Action> actions, List<Cut> cuts) {
    for (Action action : actions) {
      if (action instanceof Action.Quarantine(String host, String _)) {
        world.locks[World.of(host)] = World.QUARANTINED;
        World dies = world.copied();
        dies.flags |= World.DIED_LOCKED;
        cuts.add(new Cut("after the lock of " + host, dies));
        if (bug.oneLockAtATime()) {
          return;
        }
      }
    }
  }

  private void apply(World world, Decided now, List<Cut> cuts) {
    if (!now.after().grant().alive() && bug.holdFirst()) {
      world.endHold();
      rules.holdOver(world);
    }
    world.rows = now.after();
    if (!world.rows.grant().alive()) {
      cuts.add(new Cut("before the hold's end", world.copied()));
      world.endHold();
      rules.holdOver(world);
    }
  }

  private static int firstUnlocked(World world, List<Action> actions) {
    for (int i = 0; i < actions.size(); i++) {
      if (actions.get(i) instanceof Action.Quarantine(String host, String _)
          && world.locks[World.of(host)] != World.QUARANTINED) {
        return i;
      }
    }
    return actions.size();
  }

  private static void leave(World world, Action action) {
    switch (action) {
      case Action.Quarantine(String host, String _) -> world.left(host, HostEnd.QUARANTINED);
      case Action.Return(String host, var end, String _) -> world.left(host, end);
      case Action.EndBatch(var ends, var _) ->
          ends.forEach((host, ended) -> world.left(host, ended.end()));
      default -> {}
    }
  }

  /** Whether a decision of these rows writes nothing. */
  boolean rests(BatchSnapshot rows) {
    Decided now = decisions.of(rows);
    return now.rest() && now.failure().isEmpty();
  }

  Decided decided(BatchSnapshot rows) {
    return decisions.of(rows);
  }
}
