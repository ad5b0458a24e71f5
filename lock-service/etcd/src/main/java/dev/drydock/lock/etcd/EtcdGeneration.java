package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Generation;
import dev.drydock.lock.core.txn.ControlTransactions;
import dev.drydock.lock.core.txn.GenerationCause;

/** {@code control/generation}: only its modification revision counts. */
final class EtcdGeneration implements Generation {
  private final EtcdConnection etcd;

  EtcdGeneration(EtcdConnection etcd) {
    this.etcd = etcd;
  }

  @Override
  public void bump() {
    // Bumping twice is bumping once, so an unknown outcome is simply repeated.
    GenerationCause generationCause = new GenerationCause("bump", "", "");
    etcd.repeat(() -> etcd.commit(ControlTransactions.bumpGeneration(generationCause)));
  }
}
