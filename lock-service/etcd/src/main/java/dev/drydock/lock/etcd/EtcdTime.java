package dev.drydock.lock.etcd;

import dev.drydock.lock.core.StoreTime;
import dev.drydock.lock.core.txn.ControlTransactions;
import dev.drydock.lock.core.txn.GrantMark;
import dev.drydock.lock.core.txn.Key;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.TxnResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How far etcd is. Whoever asks also finds out when it is another one than before: its revision is
 * less than what the copy of this process has, and that copy is read anew.
 */
final class EtcdTime implements StoreTime {
  private static final int AT_ONCE = 1000;

  private final EtcdConnection etcd;
  private final EtcdMirror etcdMirror;

  EtcdTime(EtcdConnection etcd, EtcdMirror etcdMirror) {
    this.etcd = etcd;
    this.etcdMirror = etcdMirror;
  }

  @Override
  public Now now() {
    long copied = etcdMirror.ask(replica -> replica.revision());
    TxnResponse answer = etcd.repeat(() -> etcd.commit(ControlTransactions.readTime()));
    etcdMirror.etcdWasAt(answer.getHeader().getRevision(), copied);
    return new Now(
        number(new Key.Beat(), answer, 0).orElse(0L),
        number(new Key.Epoch(), answer, 1).orElse(0L),
        answer.getGetResponses().get(2).getKvs().stream()
            .mapToLong(KeyValue::getModRevision)
            .findFirst()
            .orElse(0));
  }

  private static Optional<Long> number(Key<Long> key, TxnResponse answer, int place) {
    return answer.getGetResponses().get(place).getKvs().stream()
        .findFirst()
        .map(found -> ValueCodec.stored(key, found).value());
  }

  @Override
  public void forget() {
    etcdMirror.forget();
  }

  @Override
  public List<Committed> committed() {
    List<Committed> committed = new ArrayList<>();
    for (KeyValue found : etcd.pages(etcd.keys().grants(), AT_ONCE)) {
      etcd.keys()
          .read(found.getKey())
          .filter(Key.Grant.class::isInstance)
          .map(Key.Grant.class::cast)
          .ifPresent(
              key -> {
                GrantMark mark = ValueCodec.stored(key, found).value();
                if (mark.committed()) {
                  committed.add(new Committed(key.id(), mark.hosts(), mark.beat()));
                }
              });
    }
    return committed;
  }

  @Override
  public void begin(long epoch, long beat) {
    etcd.repeat(() -> etcd.commit(ControlTransactions.begin(epoch, beat)));
  }
}
