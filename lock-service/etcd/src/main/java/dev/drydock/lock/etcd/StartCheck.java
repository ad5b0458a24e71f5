package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.ControlTransactions;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Transaction;

/** What must be true of etcd before anything is granted in it. */
final class StartCheck {
  private StartCheck() {}

  static void run(EtcdConnection etcd) {
    takesEnoughOperations(etcd);
    // Created once: later epochs are written by recovery alone.
    etcd.repeat(() -> etcd.commit(ControlTransactions.firstEpoch()));
  }

  /** A grant of many hosts must not be found impossible half-way through a rollout. */
  private static void takesEnoughOperations(EtcdConnection etcd) {
    int operations = etcd.config().maxTxnOps();
    Transaction.Building probe = Transaction.named("probe");
    for (int i = 0; i < operations; i++) {
      probe.get(new Key.Epoch());
    }
    try {
      etcd.repeat(() -> etcd.commit(probe.build()));
    } catch (EtcdRefusedException tooMany) {
      throw new IllegalStateException(
          "etcd takes fewer than "
              + operations
              + " operations per transaction: start every member with --max-txn-ops "
              + operations
              + " or lower etcd.maxTxnOps in the server's configuration",
          tooMany);
    }
  }
}
