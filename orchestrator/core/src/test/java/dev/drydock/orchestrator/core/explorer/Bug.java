package dev.drydock.orchestrator.core.explorer;

import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * A way to get it wrong: a small change of what is read or decided, or of what is done about it.
 *
 * @param reads the rows as a decision sees them
 * @param decides the actions that are applied instead of those that were decided
 * @param withoutEtcd hosts are called quarantined without their locks
 * @param holdFirst the hold ends before the end is written
 * @param boardBlind the board gives out a Drain by a verdict that is too old
 */
record Bug(
    UnaryOperator<BatchSnapshot> reads,
    BiFunction<BatchSnapshot, List<Action>, List<Action>> decides,
    boolean withoutEtcd,
    boolean holdFirst,
    boolean boardBlind) {

  /** None. */
  static final Bug NONE = new Bug(rows -> rows, (_, actions) -> actions, false, false, false);

  static Bug reading(UnaryOperator<BatchSnapshot> reads) {
    return new Bug(reads, NONE.decides, false, false, false);
  }

  static Bug deciding(BiFunction<BatchSnapshot, List<Action>, List<Action>> decides) {
    return new Bug(NONE.reads, decides, false, false, false);
  }

  /** The actions that fit are forgotten. */
  static Bug without(Predicate<Action> which) {
    return deciding((_, actions) -> actions.stream().filter(which.negate()).toList());
  }

  /** Each action as it becomes. */
  static Bug changing(BiFunction<BatchSnapshot, Action, Action> change) {
    return deciding(
        (rows, actions) -> actions.stream().map(action -> change.apply(rows, action)).toList());
  }

  static Bug withoutLocks() {
    return new Bug(NONE.reads, NONE.decides, true, false, false);
  }

  static Bug holdsFirst() {
    return new Bug(NONE.reads, NONE.decides, false, true, false);
  }

  static Bug blindBoard() {
    return new Bug(NONE.reads, NONE.decides, false, false, true);
  }
}
