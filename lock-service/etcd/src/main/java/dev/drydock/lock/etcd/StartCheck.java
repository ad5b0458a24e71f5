package dev.drydock.lock.etcd;

/** What must be true of etcd before anything is granted in it. */
final class StartCheck {
  private StartCheck() {}

  static void run(EtcdConnection etcd) {
    takesEnoughOperations(etcd);
    // Created once: later epochs are written by recovery alone.
    etcd.repeat(
        () ->
            etcd.commit(
                new Transaction("first epoch")
                    .ifAbsent(etcd.keys().epoch())
                    .put(etcd.keys().epoch(), Keys.bytes("1"))
                    .put(etcd.keys().generation(), Keys.bytes("first"))));
  }

  /** A grant of many hosts must not be found impossible half-way through a rollout. */
  private static void takesEnoughOperations(EtcdConnection etcd) {
    int operations = etcd.config().maxTxnOps();
    Transaction probe = new Transaction("probe");
    for (int i = 0; i < operations; i++) {
      probe.get(etcd.keys().epoch());
    }
    try {
      etcd.repeat(() -> etcd.commit(probe));
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
