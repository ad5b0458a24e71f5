package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Brake;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.TxnResponse;
import java.util.Optional;

/**
 * {@code control/brake}: there while the fleet is frozen. It comes and goes in one transaction with
 * a new generation, so that by the answer no grant judged before can be committed any more, by no
 * grantor (protocol P2). The generation's value says who changed the brake and why. Safe for use by
 * many threads.
 */
public final class EtcdBrake {
  private final EtcdConnection etcd;
  private final Keys keys;
  private final boolean fences;

  EtcdBrake(EtcdConnection etcd) {
    this(etcd, true);
  }

  /** Without its fence only for the test that shows what the fence is for. */
  EtcdBrake(EtcdConnection etcd, boolean fences) {
    this.etcd = etcd;
    this.fences = fences;
    keys = etcd.keys();
  }

  /** The brake as of now (linearizable); empty while the fleet moves. */
  public Optional<Brake> read() {
    return stored().map(found -> Values.brake(found.getValue()));
  }

  private Optional<KeyValue> stored() {
    return etcd.repeat(() -> etcd.get(keys.brake()));
  }

  /**
   * Pulls it, unless it is pulled already.
   *
   * @return the brake in force: {@code brake}, or the one that was there before
   */
  public Brake pull(Brake brake) {
    return etcd.repeat(
        () -> {
          TxnResponse answer =
              etcd.commit(
                  fenced(new Transaction("freeze"), "freeze", brake.by(), brake.reason())
                      .ifAbsent(keys.brake())
                      .put(keys.brake(), Values.of(brake))
                      .otherwiseGet(keys.brake()));
          return answer.isSucceeded()
              ? brake
              : Values.brake(answer.getGetResponses().getFirst().getKvs().getFirst().getValue());
        });
  }

  /**
   * Lifts it.
   *
   * @return the brake that was in force; empty when there was none
   */
  public Optional<Brake> lift(String by, String reason) {
    Optional<KeyValue> found = stored();
    found.ifPresent(
        brake ->
            // A compare that fails means lifted: by an earlier try whose answer was lost, or by
            // somebody else. A brake pulled since then is not the one to be lifted.
            etcd.repeat(
                () ->
                    etcd.commit(
                        fenced(new Transaction("unfreeze"), "unfreeze", by, reason)
                            .ifModifiedAt(keys.brake(), brake.getModRevision())
                            .delete(keys.brake()))));
    return found.map(brake -> Values.brake(brake.getValue()));
  }

  private Transaction fenced(Transaction transaction, String what, String by, String reason) {
    return fences
        ? transaction.put(keys.generation(), Values.cause(what, by, reason))
        : transaction;
  }
}
