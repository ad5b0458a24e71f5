package dev.drydock.lock.explorer;

import dev.drydock.lock.core.txn.Transaction;
import dev.drydock.lock.explorer.Scenario.Fault;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** The moves out of one state, and how one is made. Not thread-safe. */
final class Steps {
  /** The state they lead out of. */
  Model before;

  private final Parts parts;
  private final Set<Fault> struck = EnumSet.noneOf(Fault.class);
  private List<Move> moves = new ArrayList<>();

  Steps(Parts parts, Model start) {
    this.parts = parts;
    before = start;
  }

  /** One thing that happens. */
  record Move(String name, boolean expected, Model after) {}

  /** None yet, out of {@code model}. */
  void begin(Model model) {
    before = model;
    moves = new ArrayList<>();
  }

  List<Move> all() {
    return moves;
  }

  /** What everybody goes on doing. */
  void expected(String name, Consumer<Model> change) {
    add(name, true, change);
  }

  /** The same where it is known already what comes of it. */
  void expected(String name, Model after) {
    moves.add(new Move(name, true, after));
  }

  /** What goes wrong, if so much may still go wrong. */
  void fault(Fault fault, String name, Consumer<Model> change) {
    if (before.may(fault)) {
      struck.add(fault);
      add(
          name,
          false,
          model -> {
            model.spend(fault);
            change.accept(model);
          });
    }
  }

  /** What went wrong in any state so far. */
  Set<Fault> struck() {
    return Set.copyOf(struck);
  }

  private void add(String name, boolean expected, Consumer<Model> change) {
    Model model = new Model(before);
    try {
      change.accept(model);
    } catch (Violation broken) {
      throw new Violation(broken.getMessage() + "\n  by: " + name);
    }
    moves.add(new Move(name, expected, model));
  }

  /** What etcd is after a transaction, which a bug may have changed on its way. */
  ModelEtcd sent(Model model, Transaction transaction) {
    ModelEtcd.Answer answer = model.etcd.commit(parts.sent(transaction));
    ActualEffects.ended(model, answer);
    return answer.after();
  }
}
