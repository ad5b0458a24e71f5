package dev.drydock.lock.explorer;

import dev.drydock.lock.core.txn.Op;
import dev.drydock.lock.core.txn.Transaction;
import java.util.stream.Stream;

/** Which number stands for whose lease. */
final class Leases {
  static final long LEADER = 41;

  /** Used by a bug only: holds have no lease. */
  static final long ORCHESTRATOR = 42;

  /** Kept for minutes, which is longer than anything here takes. */
  static final long NOTES = 43;

  private Leases() {}

  static long waiting(int i) {
    return 1 + i;
  }

  static long counted(int i) {
    return 11 + i;
  }

  static long term(int i) {
    return 21 + i;
  }

  static long own(int i) {
    return 31 + i;
  }

  static long[] of(int i) {
    return new long[] {waiting(i), counted(i), term(i), own(i)};
  }

  /** Whether its end could make a difference. */
  static boolean matters(Model model, long lease) {
    return model.etcd.cells().values().stream().anyMatch(cell -> cell.lease() == lease)
        || Stream.concat(model.network.stream(), model.rest.stream().flatMap(rest -> rest.stream()))
            .anyMatch(message -> leased(message.transaction(), lease));
  }

  private static boolean leased(Transaction transaction, long lease) {
    return transaction.operations().stream()
        .anyMatch(
            op ->
                switch (op) {
                  case Op.Put<?> put -> put.lease() == lease;
                  case Op.Nested nested -> leased(nested.transaction(), lease);
                  case Op.Delete delete -> false;
                  case Op.Get get -> false;
                });
  }
}
