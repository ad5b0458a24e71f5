package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.ControlTransactions;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Transaction;
import java.net.URI;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What must be true of etcd before anything is granted in it. */
final class EtcdStartCheck {
  private static final Logger log = LoggerFactory.getLogger(EtcdStartCheck.class);

  /** How many times longer than a call etcd is waited for: it may be starting as well. */
  private static final int PATIENCE = 4;

  private EtcdStartCheck() {}

  /**
   * Asks every member; whoever gives no answer is left out, for a server has to start without it.
   *
   * @throws IllegalStateException when a member is not set up as configured
   * @throws UnknownOutcomeException when no member answers
   */
  static void run(EtcdConnection etcd) {
    Duration patience = etcd.config().budget().multipliedBy(PATIENCE);
    // Created once: later epochs are written by recovery alone.
    etcd.repeat(patience, () -> etcd.commit(ControlTransactions.firstEpoch()));
    Transaction probe = probe(etcd.config().maxTxnOps());
    etcd.config().endpoints().forEach(member -> takesEnoughOperations(etcd, member, probe));
  }

  private static Transaction probe(int operations) {
    Transaction.Building probe = Transaction.named("probe");
    for (int i = 0; i < operations; i++) {
      probe.get(new Key.Epoch());
    }
    return probe.build();
  }

  /**
   * A grant of many hosts must not be found impossible half-way through a rollout, nor on the day
   * another member is asked.
   */
  private static void takesEnoughOperations(EtcdConnection etcd, URI member, Transaction probe) {
    int operations = probe.operations().size();
    try {
      answer(etcd, member, probe);
    } catch (EtcdRefusedException tooMany) {
      throw new IllegalStateException(
          "etcd member "
              + member
              + " takes fewer than "
              + operations
              + " operations per transaction: start every member with --max-txn-ops "
              + operations
              + " or lower etcd.maxTxnOps in the server's configuration",
          tooMany);
    } catch (UnknownOutcomeException silent) {
      log.warn(
          "etcd member {} gives no answer: nobody knows whether it takes {} operations per"
              + " transaction (--max-txn-ops)",
          member,
          operations,
          silent);
    }
  }

  /** A connection may take longer to come about than a call. */
  private static void answer(EtcdConnection etcd, URI member, Transaction probe) {
    try {
      etcd.commitAt(member, probe);
    } catch (UnknownOutcomeException again) {
      etcd.commitAt(member, probe);
    }
  }
}
