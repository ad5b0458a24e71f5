package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.StoredValue;
import dev.drydock.lock.core.txn.Transaction;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Response;
import io.etcd.jetcd.Txn;
import io.etcd.jetcd.common.exception.EtcdException;
import io.etcd.jetcd.kv.CompactResponse;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.LeaseOption;
import io.etcd.jetcd.options.OptionsUtil;
import io.grpc.Status;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Calls to etcd with a deadline each, sorted into three outcomes: an answer, {@link
 * EtcdRefusedException} or {@link EtcdFullException} (certainly no effect) and {@link
 * UnknownOutcomeException}. Nothing is repeated here unless the caller says it may be. Safe for use
 * by many threads.
 */
final class EtcdConnection implements AutoCloseable {
  /** Answers after which a call certainly had no effect. */
  private static final Set<Status.Code> REFUSALS =
      Set.of(
          Status.Code.INVALID_ARGUMENT,
          Status.Code.NOT_FOUND,
          Status.Code.ALREADY_EXISTS,
          Status.Code.PERMISSION_DENIED,
          Status.Code.UNAUTHENTICATED,
          Status.Code.FAILED_PRECONDITION,
          Status.Code.OUT_OF_RANGE,
          Status.Code.UNIMPLEMENTED);

  /** How etcd says that its quota is used up; a rate limit has the same code. */
  private static final String FULL = "database space exceeded";

  private final EtcdMembers etcdMembers;
  private final EtcdConfig config;
  private final TransactionHook hook;
  private volatile Consumer<Boolean> fullness = _ -> {};

  EtcdConnection(EtcdConfig config, TransactionHook hook) {
    this.config = config;
    this.hook = hook;
    etcdMembers = new EtcdMembers(config.endpoints(), config.callTimeout());
  }

  EtcdConfig config() {
    return config;
  }

  /** Who is told, at each write, whether etcd had no room for it. */
  void tell(Consumer<Boolean> full) {
    fullness = full;
  }

  KeyLayout keys() {
    return new KeyLayout(config.root());
  }

  TxnResponse commit(Transaction transaction) {
    return commit(transaction.name(), EtcdTransactionRequest.of(keys(), transaction));
  }

  TxnResponse commit(String name, EtcdTransactionRequest etcdTransactionRequest) {
    return send(name, fitting(name, etcdTransactionRequest)::fill);
  }

  /** Asks this member and no other. */
  TxnResponse commitAt(URI endpoint, Transaction transaction) {
    EtcdTransactionRequest etcdTransactionRequest =
        fitting(transaction.name(), EtcdTransactionRequest.of(keys(), transaction));
    return await(
        transaction.name(),
        etcdMembers.at(endpoint),
        member -> etcdTransactionRequest.fill(member.getKVClient().txn()).commit());
  }

  /** gRPC would cut off what is too large without saying whose fault it is. */
  private EtcdTransactionRequest fitting(
      String name, EtcdTransactionRequest etcdTransactionRequest) {
    Optional<String> tooLarge = etcdTransactionRequest.tooLarge(config);
    if (tooLarge.isPresent()) {
      throw new EtcdRefusedException(name, new IllegalArgumentException(tooLarge.get()));
    }
    return etcdTransactionRequest;
  }

  /** The revision of etcd as of now, linearizably. */
  long revision() {
    return now().getRevision();
  }

  /** What etcd says of itself as of now, linearizably. */
  private Response.Header now() {
    String name = "read revision";
    hook.before(name);
    return await(name, member -> member.getKVClient().get(keys().of(new Key.Epoch()))).getHeader();
  }

  /** Everything under each prefix as of one revision, in the order of the prefixes. */
  TxnResponse ranges(String name, List<ByteSequence> prefixes) {
    GetOption option = GetOption.builder().isPrefix(true).build();
    Op[] gets = prefixes.stream().map(prefix -> Op.get(prefix, option)).toArray(Op[]::new);
    return send(name, txn -> txn.Then(gets));
  }

  private TxnResponse send(String name, UnaryOperator<Txn> content) {
    hook.before(name);
    TxnResponse answer = await(name, member -> content.apply(member.getKVClient().txn()).commit());
    return answered(name, answer);
  }

  private TxnResponse answered(String name, TxnResponse answer) {
    hook.after(name);
    if (!answer.getPutResponses().isEmpty()) {
      fullness.accept(false); // It had room for a write.
    }
    return answer;
  }

  Optional<KeyValue> get(Key<?> key) {
    return response(key).getKvs().stream().findFirst();
  }

  /** The same with what etcd says of itself. */
  GetResponse response(Key<?> key) {
    return await("get", member -> member.getKVClient().get(keys().of(key)));
  }

  /** Everything under a prefix, so many at once; what is written meanwhile may be missing. */
  List<KeyValue> pages(ByteSequence prefix, int atOnce) {
    List<KeyValue> all = new ArrayList<>();
    ByteSequence end = OptionsUtil.prefixEndOf(prefix);
    ByteSequence from = prefix;
    while (true) {
      GetOption option = GetOption.builder().withRange(end).withLimit(atOnce).build();
      ByteSequence start = from;
      List<KeyValue> page =
          repeat(() -> await("range", member -> member.getKVClient().get(start, option))).getKvs();
      all.addAll(page);
      if (page.size() < atOnce) {
        return all;
      }
      from = page.getLast().getKey().concat(ByteSequence.from(new byte[1]));
    }
  }

  /** The key with its value as it counts, if it exists. */
  <V> Optional<StoredValue<V>> read(Key<V> key) {
    return get(key).flatMap(found -> ValueCodec.believed(key, found));
  }

  /** Forgets what was overwritten or deleted before a revision. */
  CompactResponse compact(long revision) {
    return await("compact", member -> member.getKVClient().compact(revision));
  }

  List<KeyValue> range(ByteSequence prefix) {
    GetOption option = GetOption.builder().isPrefix(true).build();
    return await("range", member -> member.getKVClient().get(prefix, option)).getKvs();
  }

  /** A lease has whole seconds: as many that it does not end before what was asked for. */
  static int leaseSeconds(Duration timeToLive) {
    return Math.max(1, Math.toIntExact(timeToLive.plusSeconds(1).minusNanos(1).toSeconds()));
  }

  long grantLease(Duration timeToLive) {
    long seconds = leaseSeconds(timeToLive);
    return await("grant lease", member -> member.getLeaseClient().grant(seconds)).getID();
  }

  /**
   * Renews a lease; false when there is none any more. A leader that stood still answers renewals
   * in vain until it learns of its successor: what it says counts only if a read that came later
   * was answered in the same term (ADR 13).
   *
   * @throws UnknownOutcomeException also when the leader changed meanwhile
   */
  boolean keepAlive(long lease) {
    OptionalLong renewed = renewed(lease);
    long term = now().getRaftTerm();
    if (renewed.isEmpty()) {
      // Or the lease is younger than what a deposed leader knows.
      renewed = renewed(lease);
      if (renewed.isEmpty()) {
        return false;
      }
      term = now().getRaftTerm();
    }
    if (renewed.getAsLong() != term) {
      throw new UnknownOutcomeException(
          "keep lease alive, by its leader of term %d; one of term %d did"
              .formatted(term, renewed.getAsLong()),
          null);
    }
    return true;
  }

  /** The term in which a lease was renewed; empty when whoever answered knows of none. */
  private OptionalLong renewed(long lease) {
    try {
      return OptionalLong.of(
          await("keep lease alive", member -> member.getLeaseClient().keepAliveOnce(lease))
              .getHeader()
              .getRaftTerm());
    } catch (EtcdRefusedException gone) {
      return OptionalLong.empty();
    }
  }

  /** Seconds a lease lives after each renewal; 0 when there is none any more. */
  long grantedSeconds(long lease) {
    return await(
            "read lease", member -> member.getLeaseClient().timeToLive(lease, LeaseOption.DEFAULT))
        .getGrantedTTL();
  }

  /** Seconds a lease has left; 0 or less when there is none any more. */
  long secondsLeft(long lease) {
    return await(
            "read lease", member -> member.getLeaseClient().timeToLive(lease, LeaseOption.DEFAULT))
        .getTTL();
  }

  void revoke(long lease) {
    try {
      await("revoke lease", member -> member.getLeaseClient().revoke(lease));
    } catch (EtcdRefusedException gone) {
      return; // Expired on its own, which is what was wanted.
    }
  }

  /** The member that is asked at present, for watches. */
  Client member() {
    return etcdMembers.current();
  }

  /** A watch on this member broke. */
  void leave(Client member) {
    etcdMembers.leave(member);
  }

  /** Repeats an idempotent operation until it answers, within the budget. */
  <T> T repeat(Supplier<T> operation) {
    return repeat(config.budget(), operation);
  }

  /** The same for as long as told. */
  <T> T repeat(Duration budget, Supplier<T> operation) {
    long end = System.nanoTime() + budget.toNanos();
    BackOff pauses = new BackOff();
    while (true) {
      try {
        return operation.get();
      } catch (UnknownOutcomeException unknown) {
        if (System.nanoTime() - end > 0) {
          throw unknown;
        }
      }
      pauses.rest();
      if (Thread.currentThread().isInterrupted()) {
        throw new UnknownOutcomeException("interrupted while waiting to repeat a call", null);
      }
    }
  }

  private <T> T await(String what, Function<Client, CompletableFuture<T>> call) {
    return await(what, etcdMembers.current(), call);
  }

  private <T> T await(String what, Client asked, Function<Client, CompletableFuture<T>> call) {
    CompletableFuture<T> future;
    try {
      future = call.apply(asked);
    } catch (RuntimeException failed) {
      throw sorted(what, failed, asked);
    }
    try {
      return future.get(config.callTimeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      future.cancel(true);
      throw sorted(what, late, asked);
    } catch (ExecutionException failed) {
      throw sorted(what, failed.getCause() == null ? failed : failed.getCause(), asked);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new UnknownOutcomeException(what, stop);
    }
  }

  /** Whoever gave no answer is not asked again before the others were. */
  private RuntimeException sorted(String what, Throwable failure, Client asked) {
    RuntimeException sorted = sorted(what, failure);
    if (sorted instanceof UnknownOutcomeException) {
      etcdMembers.leave(asked);
    }
    if (sorted instanceof EtcdFullException) {
      fullness.accept(true);
    }
    return sorted;
  }

  private static RuntimeException sorted(String what, Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      // jetcd wraps the status of some calls and hands on that of others as it came.
      if (cause instanceof UnknownOutcomeException unknown) {
        return unknown;
      }
      if (cause instanceof EtcdRefusedException || cause instanceof EtcdFullException) {
        return (RuntimeException) cause;
      }
      if (String.valueOf(cause.getMessage()).contains(FULL)) {
        return new EtcdFullException(what, cause);
      }
      boolean refused =
          cause instanceof EtcdException wrapped
              ? REFUSALS.contains(Status.Code.valueOf(wrapped.getErrorCode().name()))
              : REFUSALS.contains(Status.fromThrowable(cause).getCode());
      if (refused) {
        return new EtcdRefusedException(what, cause);
      }
    }
    return new UnknownOutcomeException(what, failure);
  }

  @Override
  public void close() {
    etcdMembers.close();
  }
}
