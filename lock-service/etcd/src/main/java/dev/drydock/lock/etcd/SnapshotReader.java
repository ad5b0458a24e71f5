package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.Snapshot;
import dev.drydock.lock.core.txn.Stored;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.TxnResponse;
import java.util.ArrayList;
import java.util.List;

/** Reads everything as of one revision, linearizably, in one transaction. */
final class SnapshotReader {
  private SnapshotReader() {}

  static Snapshot read(EtcdConnection etcd) {
    Keys keys = etcd.keys();
    TxnResponse answer = etcd.repeat(() -> etcd.ranges("snapshot", keys.decisive()));
    List<Stored<?>> everything = new ArrayList<>();
    answer.getGetResponses().stream()
        .flatMap(part -> part.getKvs().stream())
        .forEach(found -> add(everything, keys, found));
    return Snapshot.of(answer.getHeader().getRevision(), everything);
  }

  private static void add(List<Stored<?>> everything, Keys keys, KeyValue found) {
    keys.read(found.getKey()).ifPresent(key -> everything.add(Values.stored(key, found)));
  }
}
