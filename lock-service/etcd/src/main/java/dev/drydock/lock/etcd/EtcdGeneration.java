package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Generation;
import java.util.UUID;

/** {@code control/generation}: only its modification revision counts. */
final class EtcdGeneration implements Generation {
  private final EtcdConnection etcd;

  EtcdGeneration(EtcdConnection etcd) {
    this.etcd = etcd;
  }

  @Override
  public void bump() {
    // Bumping twice is bumping once, so an unknown outcome is simply repeated.
    etcd.repeat(
        () ->
            etcd.commit(
                new Transaction("bump generation")
                    .put(etcd.keys().generation(), Keys.bytes(UUID.randomUUID().toString()))));
  }
}
