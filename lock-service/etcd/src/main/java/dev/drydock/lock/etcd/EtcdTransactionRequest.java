package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.Compare;
import dev.drydock.lock.core.txn.Op;
import dev.drydock.lock.core.txn.Transaction;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Txn;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A transaction in etcd's words.
 *
 * @param weight operations over all levels, compares counted where they are more
 * @param bytes no less than what etcd's limit on a request counts
 */
record EtcdTransactionRequest(
    Cmp[] compares,
    io.etcd.jetcd.op.Op[] operations,
    io.etcd.jetcd.op.Op[] otherwise,
    int weight,
    int bytes) {
  /** The most that etcd's format adds to a compare or an operation. */
  private static final int FRAME = 32;

  /** Says {@code transaction} of the keys under a root. */
  static EtcdTransactionRequest of(KeyLayout keyLayout, Transaction transaction) {
    return of(keyLayout, transaction, new HashMap<>());
  }

  /**
   * The same for one of many that compare much of the same.
   *
   * @param said what was compared before, which is added to
   */
  static EtcdTransactionRequest of(
      KeyLayout keyLayout, Transaction transaction, Map<Compare, Said> said) {
    return new Translation(keyLayout, said).request(transaction);
  }

  /** A compare in etcd's words. */
  record Said(Cmp compare, int bytes) {}

  /** {@code into} with everything this says. */
  Txn fill(Txn into) {
    return into.If(compares).Then(operations).Else(otherwise);
  }

  /** This, and parts that fail each by itself. */
  EtcdTransactionRequest with(List<EtcdTransactionRequest> parts) {
    io.etcd.jetcd.op.Op[] all =
        Stream.concat(Arrays.stream(operations), parts.stream().map(EtcdTransactionRequest::nested))
            .toArray(io.etcd.jetcd.op.Op[]::new);
    return new EtcdTransactionRequest(
        compares,
        all,
        otherwise,
        weight + parts.stream().mapToInt(part -> part.weight() + 1).sum(),
        bytes + parts.stream().mapToInt(part -> part.bytes() + FRAME).sum());
  }

  /** This and all of the parts, or nothing; what several of them compare is compared once. */
  EtcdTransactionRequest and(List<EtcdTransactionRequest> parts) {
    List<EtcdTransactionRequest> all = Stream.concat(Stream.of(this), parts.stream()).toList();
    return new EtcdTransactionRequest(
        all.stream().flatMap(part -> Arrays.stream(part.compares)).distinct().toArray(Cmp[]::new),
        all.stream()
            .flatMap(part -> Arrays.stream(part.operations))
            .toArray(io.etcd.jetcd.op.Op[]::new),
        otherwise,
        all.stream().mapToInt(EtcdTransactionRequest::weight).sum(),
        all.stream().mapToInt(EtcdTransactionRequest::bytes).sum());
  }

  /** Why etcd would not take it, however often it is sent; empty when it would. */
  Optional<String> tooLarge(EtcdConfig config) {
    if (bytes > EtcdConfig.REQUEST_BYTES_MAX) {
      return Optional.of(
          "it takes %.1f MB at once, and etcd takes %.1f MB (--max-request-bytes)"
              .formatted(bytes / 1e6, EtcdConfig.REQUEST_BYTES_MAX / 1e6));
    }
    return weight > config.maxTxnOps()
        ? Optional.of(
            "it takes %d operations at once, and etcd takes %d (--max-txn-ops)"
                .formatted(weight, config.maxTxnOps()))
        : Optional.empty();
  }

  /** This as a part of another transaction, failing alone. */
  io.etcd.jetcd.op.Op nested() {
    return io.etcd.jetcd.op.Op.txn(compares, operations, otherwise);
  }

  /** Translates one transaction and adds up what it weighs. */
  private static final class Translation {
    private final KeyLayout keyLayout;
    private final Map<Compare, Said> said;
    private int weight;
    private int bytes;

    Translation(KeyLayout keyLayout, Map<Compare, Said> said) {
      this.keyLayout = keyLayout;
      this.said = said;
    }

    EtcdTransactionRequest request(Transaction transaction) {
      Cmp[] compares = compares(transaction);
      io.etcd.jetcd.op.Op[] operations = operations(transaction.operations());
      io.etcd.jetcd.op.Op[] otherwise = operations(transaction.otherwise());
      weight += weight(transaction);
      return new EtcdTransactionRequest(compares, operations, otherwise, weight, bytes);
    }

    private static int weight(Transaction transaction) {
      return Math.max(
          transaction.compares().size(),
          Math.max(transaction.operations().size(), transaction.otherwise().size()));
    }

    private Cmp[] compares(Transaction transaction) {
      return transaction.compares().stream().map(this::compare).toArray(Cmp[]::new);
    }

    private Cmp compare(Compare compare) {
      Said once = said.computeIfAbsent(compare, this::said);
      bytes += once.bytes();
      return once.compare();
    }

    private Said said(Compare compare) {
      ByteSequence key = keyLayout.of(compare.key());
      Cmp cmp =
          switch (compare) {
            case Compare.Created created ->
                new Cmp(key, Cmp.Op.EQUAL, CmpTarget.createRevision(created.revision()));
            case Compare.Modified modified ->
                new Cmp(key, Cmp.Op.EQUAL, CmpTarget.modRevision(modified.revision()));
            case Compare.Present present ->
                new Cmp(key, Cmp.Op.GREATER, CmpTarget.createRevision(0));
          };
      return new Said(cmp, key.size() + FRAME);
    }

    private io.etcd.jetcd.op.Op[] operations(List<? extends Op> operations) {
      return operations.stream().map(this::operation).toArray(io.etcd.jetcd.op.Op[]::new);
    }

    private io.etcd.jetcd.op.Op operation(Op operation) {
      return switch (operation) {
        case Op.Put<?> put -> put(put);
        case Op.Delete delete ->
            io.etcd.jetcd.op.Op.delete(weighed(keyLayout.of(delete.key())), DeleteOption.DEFAULT);
        case Op.Get get ->
            io.etcd.jetcd.op.Op.get(weighed(keyLayout.of(get.key())), GetOption.DEFAULT);
        case Op.Nested(Transaction part) -> {
          weight += weight(part);
          bytes += FRAME;
          yield io.etcd.jetcd.op.Op.txn(
              compares(part), operations(part.operations()), operations(part.otherwise()));
        }
      };
    }

    private <V> io.etcd.jetcd.op.Op put(Op.Put<V> put) {
      PutOption option =
          put.lease() == 0
              ? PutOption.DEFAULT
              : PutOption.builder().withLeaseId(put.lease()).build();
      ByteSequence value = weighed(ValueCodec.of(put.key(), put.value()));
      return io.etcd.jetcd.op.Op.put(weighed(keyLayout.of(put.key())), value, option);
    }

    private ByteSequence weighed(ByteSequence sequence) {
      bytes += sequence.size() + FRAME;
      return sequence;
    }
  }
}
