package dev.drydock.lock.explorer;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.GrantorDecision;
import dev.drydock.lock.core.GrantorPass;
import dev.drydock.lock.core.txn.CommitGroups;
import dev.drydock.lock.core.txn.Transaction;
import java.util.List;

/** What is explored: the real decisions and transactions, or some with a bug in them. */
interface Parts {
  Parts REAL = new Parts() {};

  default List<GrantorDecision> decide(
      GrantorPass.Input input, Admission.Round round, GrantorPass.Limits limits) {
    return GrantorPass.decide(input, round, limits);
  }

  default List<List<GrantorDecision>> groups(List<GrantorDecision> decisions) {
    return CommitGroups.of(decisions);
  }

  /** The last hand on every transaction before it is sent. */
  default Transaction sent(Transaction transaction) {
    return transaction;
  }
}
