package dev.drydock.orchestrator.core.explorer;

import dev.drydock.orchestrator.core.explorer.Rules.Broken;
import dev.drydock.orchestrator.core.model.Phase;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** The moves out of one state as they are found. */
final class Steps {
  private final Rules rules;
  private final Predicate<Phase> marks;
  private final List<Move> found = new ArrayList<>();
  private final Set<Fault> struck = new HashSet<>();
  private BatchState before;
  private Phase phase = Phase.VERIFY;
  private boolean unrest;

  Steps(Rules rules, BatchState start, Predicate<Phase> marks) {
    this.rules = rules;
    this.before = start;
    this.marks = marks;
  }

  /**
   * A move.
   *
   * @param kind whether everybody goes on with it, so that in the end the batch ends
   * @param broken rules that it breaks
   */
  record Move(String name, BatchState after, boolean kind, List<Broken> broken) {}

  void begin(BatchState batchState, Phase at, boolean decides) {
    before = batchState;
    phase = at;
    unrest = decides;
    found.clear();
  }

  BatchState before() {
    return before;
  }

  Phase phase() {
    return phase;
  }

  List<Move> all() {
    return List.copyOf(found);
  }

  Set<Fault> struck() {
    return struck;
  }

  /** What everybody goes on doing. Before a decision was made, only if that lags. */
  void kind(String name, Consumer<BatchState> change) {
    add(name, true, change);
  }

  /** The same, but the end of the batch must not need it. */
  void free(String name, Consumer<BatchState> change) {
    add(name, false, change);
  }

  private void add(String name, boolean kind, Consumer<BatchState> change) {
    if (unrest && !before.may(Fault.LAG)) {
      return;
    }
    BatchState after = before.copied();
    if (unrest) {
      spend(after, Fault.LAG);
    }
    change.accept(after);
    found.add(new Move(name, after, kind && !unrest, rules.taken()));
  }

  /**
   * People take the hosts away.
   *
   * @param why what is wrong about that nothing else would move the batch; empty if nothing is
   */
  void taken(String why, Consumer<BatchState> change) {
    if (!why.isEmpty()) {
      rules.broken("BARRED-WAITS", why);
    }
    BatchState after = before.copied();
    change.accept(after);
    found.add(new Move("people take the hosts", after, true, rules.taken()));
  }

  /** What goes wrong at a consumer or at the board. */
  void fault(Fault fault, String name, Consumer<BatchState> change) {
    if (before.may(fault) && (!unrest || before.may(Fault.LAG))) {
      BatchState after = before.copied();
      spend(after, fault);
      if (unrest && !after.may(Fault.LAG)) {
        return;
      }
      if (unrest) {
        spend(after, Fault.LAG);
      }
      change.accept(after);
      found.add(new Move(name, after, false, rules.taken()));
    }
  }

  /** What may happen at any moment. */
  void strikes(Fault fault, String name, UnaryOperator<BatchState> change) {
    if (before.may(fault)) {
      BatchState after = before.copied();
      spend(after, fault);
      found.add(new Move(name, change.apply(after), false, rules.taken()));
    }
  }

  /** A process dies while nothing is written; only traces tell that from that it goes on. */
  void dies() {
    if (marks.test(phase)) {
      strikes(Fault.CRASH, "a process dies, and another one goes on", UnaryOperator.identity());
    }
  }

  /** A decision is made and applied. */
  void decision(BatchState after, List<Interpreter.Cut> cuts, List<Broken> broken) {
    found.add(new Move("decided", after, true, broken));
    for (Interpreter.Cut cut : cuts) {
      Fault fault = cut.dies() ? Fault.CRASH : Fault.LAG;
      if (before.may(fault)) {
        String name = cut.dies() ? "decided, and dies " : "decided, and stays ";
        spend(cut.world(), fault);
        found.add(new Move(name + cut.where(), cut.world(), false, List.of()));
      }
    }
  }

  private void spend(BatchState batchState, Fault fault) {
    struck.add(fault);
    batchState.spend(fault, marks, phase);
  }
}
