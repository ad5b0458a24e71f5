package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.Compare;
import dev.drydock.lock.core.txn.Op;
import dev.drydock.lock.core.txn.Transaction;
import io.etcd.jetcd.Txn;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import java.util.List;

/**
 * Transactions in etcd's words.
 *
 * @param keys where the keys are
 */
record Request(Keys keys) {

  /** {@code into} with everything the transaction says. */
  Txn fill(Txn into, Transaction transaction) {
    return into.If(compares(transaction))
        .Then(operations(transaction.operations()))
        .Else(operations(transaction.otherwise()));
  }

  private Cmp[] compares(Transaction transaction) {
    return transaction.compares().stream().map(this::compare).toArray(Cmp[]::new);
  }

  private Cmp compare(Compare compare) {
    var key = keys.of(compare.key());
    return switch (compare) {
      case Compare.Created created ->
          new Cmp(key, Cmp.Op.EQUAL, CmpTarget.createRevision(created.revision()));
      case Compare.Modified modified ->
          new Cmp(key, Cmp.Op.EQUAL, CmpTarget.modRevision(modified.revision()));
      case Compare.Present present -> new Cmp(key, Cmp.Op.GREATER, CmpTarget.createRevision(0));
    };
  }

  private io.etcd.jetcd.op.Op[] operations(List<? extends Op> operations) {
    return operations.stream().map(this::operation).toArray(io.etcd.jetcd.op.Op[]::new);
  }

  private io.etcd.jetcd.op.Op operation(Op operation) {
    return switch (operation) {
      case Op.Put<?> put -> put(put);
      case Op.Delete delete ->
          io.etcd.jetcd.op.Op.delete(keys.of(delete.key()), DeleteOption.DEFAULT);
      case Op.Get get -> io.etcd.jetcd.op.Op.get(keys.of(get.key()), GetOption.DEFAULT);
      case Op.Nested(Transaction part) ->
          io.etcd.jetcd.op.Op.txn(
              compares(part), operations(part.operations()), operations(part.otherwise()));
    };
  }

  private <V> io.etcd.jetcd.op.Op put(Op.Put<V> put) {
    PutOption option =
        put.lease() == 0 ? PutOption.DEFAULT : PutOption.builder().withLeaseId(put.lease()).build();
    return io.etcd.jetcd.op.Op.put(keys.of(put.key()), Values.of(put.key(), put.value()), option);
  }
}
