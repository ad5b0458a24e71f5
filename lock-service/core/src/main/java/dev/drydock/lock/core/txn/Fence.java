package dev.drydock.lock.core.txn;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What every word of a grantor is compared with (protocol P2): the leadership it was elected with
 * and the generation it judged under. A paused predecessor and a verdict by old rules change
 * nothing.
 *
 * @param leader create revision of the leadership key; only a test's control leaves it out
 * @param generation modification revision of {@code control/generation}
 */
public record Fence(Optional<Long> leader, long generation) {

  /** The same transaction behind the fence. */
  public Transaction guard(Transaction transaction) {
    List<Compare> compares = compares();
    compares.addAll(transaction.compares());
    return new Transaction(
        transaction.name(), compares, transaction.operations(), transaction.otherwise());
  }

  /** All parts behind one fence, each failing alone by its own compares. */
  public Transaction group(String name, List<Transaction> parts) {
    return new Transaction(
        name, compares(), parts.stream().<Op>map(Op.Nested::new).toList(), List.of());
  }

  private List<Compare> compares() {
    List<Compare> compares = new ArrayList<>();
    leader.ifPresent(revision -> compares.add(new Compare.Created(new Key.Leader(), revision)));
    compares.add(new Compare.Modified(new Key.Generation(), generation));
    return compares;
  }
}
