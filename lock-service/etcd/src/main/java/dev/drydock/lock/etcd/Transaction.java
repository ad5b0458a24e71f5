package dev.drydock.lock.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import java.util.ArrayList;
import java.util.List;

/**
 * An etcd transaction being put together. Confined to one thread; the name is for messages and test
 * hooks.
 */
final class Transaction {
  private static final PutOption NO_LEASE = PutOption.DEFAULT;

  private final String name;
  private final List<Cmp> compares = new ArrayList<>();
  private final List<Op> operations = new ArrayList<>();
  private final List<Op> otherwise = new ArrayList<>();

  Transaction(String name) {
    this.name = name;
  }

  Transaction ifAbsent(ByteSequence key) {
    return ifCreatedAt(key, 0);
  }

  Transaction ifPresent(ByteSequence key) {
    compares.add(new Cmp(key, Cmp.Op.GREATER, CmpTarget.createRevision(0)));
    return this;
  }

  Transaction ifCreatedAt(ByteSequence key, long revision) {
    compares.add(new Cmp(key, Cmp.Op.EQUAL, CmpTarget.createRevision(revision)));
    return this;
  }

  Transaction ifModifiedAt(ByteSequence key, long revision) {
    compares.add(new Cmp(key, Cmp.Op.EQUAL, CmpTarget.modRevision(revision)));
    return this;
  }

  Transaction put(ByteSequence key, ByteSequence value) {
    operations.add(Op.put(key, value, NO_LEASE));
    return this;
  }

  Transaction putLeased(ByteSequence key, ByteSequence value, long lease) {
    operations.add(Op.put(key, value, PutOption.builder().withLeaseId(lease).build()));
    return this;
  }

  Transaction delete(ByteSequence key) {
    operations.add(Op.delete(key, DeleteOption.DEFAULT));
    return this;
  }

  Transaction get(ByteSequence key) {
    operations.add(Op.get(key, GetOption.DEFAULT));
    return this;
  }

  Transaction range(ByteSequence prefix) {
    operations.add(Op.get(prefix, GetOption.builder().isPrefix(true).build()));
    return this;
  }

  Transaction otherwiseGet(ByteSequence key) {
    otherwise.add(Op.get(key, GetOption.DEFAULT));
    return this;
  }

  String name() {
    return name;
  }

  Cmp[] compares() {
    return compares.toArray(Cmp[]::new);
  }

  Op[] operations() {
    return operations.toArray(Op[]::new);
  }

  Op[] otherwise() {
    return otherwise.toArray(Op[]::new);
  }
}
