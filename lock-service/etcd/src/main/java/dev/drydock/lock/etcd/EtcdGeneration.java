package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Generation;
import dev.drydock.lock.core.txn.Cause;
import dev.drydock.lock.core.txn.ControlTransactions;

/** {@code control/generation}: only its modification revision counts. */
final class EtcdGeneration implements Generation {
  private final EtcdConnection etcd;

  EtcdGeneration(EtcdConnection etcd) {
    this.etcd = etcd;
  }

  @Override
  public void bump() {
    // Bumping twice is bumping once, so an unknown outcome is simply repeated.
    Cause cause = new Cause("bump", "", "");
    etcd.repeat(() -> etcd.commit(ControlTransactions.bumpGeneration(cause)));
  }
}
