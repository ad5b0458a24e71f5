package dev.drydock.lock.explorer;

import dev.drydock.lock.core.txn.Op;
import dev.drydock.lock.core.txn.Transaction;
import java.util.List;

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

  /** Those whose end could make a difference, by bit. */
  static long mattering(Model model) {
    long leases = model.etcd.leases();
    for (Model.Message message : model.network) {
      leases |= leases(message.transaction());
    }
    for (List<Model.Message> rest : model.rest) {
      for (Model.Message message : rest) {
        leases |= leases(message.transaction());
      }
    }
    return leases;
  }

  private static long leases(Transaction transaction) {
    long leases = 0;
    for (Op op : transaction.operations()) {
      leases |=
          switch (op) {
            case Op.Put<?> put -> 1L << put.lease();
            case Op.Nested nested -> leases(nested.transaction());
            case Op.Delete delete -> 0;
            case Op.Get get -> 0;
          };
    }
    return leases;
  }
}
