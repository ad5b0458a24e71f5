package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.txn.ControlTransactions;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Op;
import dev.drydock.lock.core.txn.StoredValue;
import dev.drydock.lock.core.txn.Transaction;
import io.etcd.jetcd.KeyValue;
import java.util.List;
import java.util.Optional;

/**
 * {@code control/brake}: there while the fleet is frozen. It comes and goes in one transaction with
 * a new generation, so that by the answer no grant judged before can be committed any more, by no
 * grantor (protocol P2). The generation's value says who changed the brake and why. Safe for use by
 * many threads.
 */
public final class EtcdBrake {
  private final EtcdConnection etcd;
  private final boolean fences;

  EtcdBrake(EtcdConnection etcd) {
    this(etcd, true);
  }

  /** Without its fence only for the test that shows what the fence is for. */
  EtcdBrake(EtcdConnection etcd, boolean fences) {
    this.etcd = etcd;
    this.fences = fences;
  }

  /** The brake as of now (linearizable); empty while the fleet moves. */
  public Optional<Brake> read() {
    return stored().map(StoredValue::value);
  }

  private Optional<StoredValue<Brake>> stored() {
    return etcd.repeat(() -> etcd.read(new Key.Brake()));
  }

  /**
   * Pulls it, unless it is pulled already. A copy of what was sent that comes late, when the brake
   * may have been lifted again, does nothing.
   *
   * @return the brake in force: {@code brake}, or the one that was there before
   */
  public Brake pull(Brake brake) {
    return etcd.repeat(
        () -> {
          while (true) {
            long generation =
                etcd.get(new Key.Generation()).map(KeyValue::getModRevision).orElse(0L);
            Optional<StoredValue<Brake>> there = etcd.read(new Key.Brake());
            if (there.isPresent()) {
              return there.get().value();
            }
            // Refused only if the brake or the rules changed just now.
            if (etcd.commit(fenced(ControlTransactions.freeze(brake, generation))).isSucceeded()) {
              return brake;
            }
          }
        });
  }

  /**
   * Lifts this one and no other, which is what a copy that comes late does, too.
   *
   * @return the brake in force instead; empty when the fleet moves
   */
  public Optional<Brake> lift(Brake brake, String by, String reason) {
    Optional<StoredValue<Brake>> found = stored();
    if (found.map(StoredValue::value).filter(brake::equals).isEmpty()) {
      return found.map(StoredValue::value);
    }
    Transaction lifting = fenced(ControlTransactions.unfreeze(found.get(), by, reason));
    // A compare that fails means lifted: by an earlier try whose answer was lost, or by somebody
    // else, and it may have been pulled again since.
    return etcd.repeat(() -> etcd.commit(lifting)).isSucceeded() ? Optional.empty() : read();
  }

  private Transaction fenced(Transaction transaction) {
    List<Op> operations =
        transaction.operations().stream()
            .filter(op -> fences || !(op instanceof Op.Put<?> put && isGeneration(put)))
            .toList();
    return new Transaction(
        transaction.name(), transaction.compares(), operations, transaction.otherwise());
  }

  private static boolean isGeneration(Op.Put<?> put) {
    return put.key() instanceof Key.Generation;
  }
}
