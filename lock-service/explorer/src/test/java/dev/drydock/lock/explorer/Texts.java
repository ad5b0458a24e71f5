package dev.drydock.lock.explorer;

import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Op;
import dev.drydock.lock.core.txn.Transaction;
import java.util.stream.Collectors;

/** Transactions for people. */
final class Texts {
  private Texts() {}

  static String of(Transaction transaction) {
    return transaction.name()
        + transaction.operations().stream()
            .map(
                op ->
                    switch (op) {
                      case Op.Put<?> put -> put.key() instanceof Key.Beat ? "" : " +" + put.key();
                      case Op.Delete delete -> " -" + delete.key();
                      case Op.Get get -> "";
                      case Op.Nested nested -> " {" + of(nested.transaction()) + "}";
                    })
            .collect(Collectors.joining());
  }
}
