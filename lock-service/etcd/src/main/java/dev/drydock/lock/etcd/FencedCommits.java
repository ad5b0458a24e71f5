package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.Compare;
import dev.drydock.lock.core.txn.ControlTransactions;
import dev.drydock.lock.core.txn.Fence;
import dev.drydock.lock.core.txn.GenerationCause;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Transaction;
import io.etcd.jetcd.kv.TxnResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits behind the fence of a grantor. Confined to the grantor's thread.
 *
 * <p>An unknown outcome is never guessed. The generation is bumped, which fails the transaction if
 * it is still on its way, and the next pass reads what there is.
 */
final class FencedCommits {
  private static final Logger log = LoggerFactory.getLogger(FencedCommits.class);

  private final EtcdConnection etcd;
  private boolean unsettled;
  private boolean doubtful;
  private OptionalLong beat = OptionalLong.empty();
  private long revision;

  FencedCommits(EtcdConnection etcd) {
    this.etcd = etcd;
  }

  /** What became of one part of a group. */
  sealed interface Part {
    /** It was carried out. */
    record Done() implements Part {}

    /** Something it compares changed since it was decided. */
    record Lost() implements Part {}

    /** etcd does not take it, however often it is sent. */
    record Refused(String reason) implements Part {}
  }

  /**
   * What etcd was at when it answered last, which the next pass must not be older than: it would
   * decide again what was refused.
   */
  long revision() {
    return revision;
  }

  /** What is committed from now on compares when the last beat was written, where that is known. */
  void comparing(OptionalLong beatModified) {
    beat = beatModified;
    doubtful = false;
  }

  /** What was committed last wrote a beat. */
  void beaten() {
    if (beat.isPresent()) {
      beat = OptionalLong.of(revision);
    }
  }

  /** Whether something was refused, or may have come through: the beat may be another. */
  boolean doubtful() {
    return doubtful;
  }

  /** What was known of etcd is of another time. */
  void forget() {
    revision = 0;
  }

  /** Whatever is still on its way fails from now on. */
  void settle() {
    if (unsettled) {
      GenerationCause generationCause =
          new GenerationCause("settle", "grantor", "the outcome of a transaction is not known");
      Transaction bump = ControlTransactions.bumpGeneration(generationCause);
      revision = etcd.repeat(() -> etcd.commit(bump)).getHeader().getRevision();
      unsettled = false;
    }
  }

  /** Whether it was committed; when it was not, nobody may know yet. */
  boolean alone(Transaction transaction, Fence fence) {
    Transaction fenced = ofThisTime(fence.guard(transaction));
    Optional<TxnResponse> answer =
        send(fenced.name(), EtcdTransactionRequest.of(etcd.keys(), fenced));
    return answer.map(one -> agreed(fenced.name(), one)).orElse(false);
  }

  /**
   * Commits parts that do not rely on each other and write nothing of each other's, in as few
   * transactions as etcd takes: all or none of a group, which is less work for etcd, and each for
   * itself where something came in between. What etcd refuses together is sent by halves, so that
   * in the end only the faulty part fails.
   *
   * @return what became of each part; shorter when nothing more may be sent
   */
  List<Part> together(List<Transaction> parts, Fence fence) {
    List<Part> ends = new ArrayList<>();
    int next = 0;
    while (next < parts.size()) {
      String name = parts.get(next).name();
      List<EtcdTransactionRequest> group = group(parts.subList(next, parts.size()));
      next += group.size();
      if (!carryOut(name, group, fence, ends)) {
        return ends;
      }
    }
    return ends;
  }

  /** As many as fit, and one in any case. */
  private List<EtcdTransactionRequest> group(List<Transaction> parts) {
    EtcdConfig.GroupLimits limits = etcd.config().groupLimits();
    List<EtcdTransactionRequest> group = new ArrayList<>();
    Map<Compare, EtcdTransactionRequest.Said> said = new HashMap<>();
    int weight = 0;
    int bytes = 0;
    for (Transaction transaction : parts) {
      EtcdTransactionRequest part = EtcdTransactionRequest.of(etcd.keys(), transaction, said);
      weight += part.weight() + 1;
      bytes += part.bytes();
      if (!group.isEmpty() && (weight > limits.weight() || bytes > limits.bytes())) {
        break;
      }
      group.add(part);
    }
    return group;
  }

  /** False when nothing more may be sent. */
  private boolean carryOut(
      String name, List<EtcdTransactionRequest> group, Fence fence, List<Part> ends) {
    EtcdTransactionRequest behind =
        EtcdTransactionRequest.of(etcd.keys(), ofThisTime(fence.group(name, List.of())));
    List<Part> committed;
    try {
      committed = allOrEach(name, behind, group).orElse(List.of());
    } catch (EtcdRefusedException refused) {
      if (group.size() > 1) {
        log.warn("a group '{}' is sent by halves: {}", name, refused.getMessage());
        int half = group.size() / 2;
        return carryOut(name, group.subList(0, half), fence, ends)
            && carryOut(name, group.subList(half, group.size()), fence, ends);
      }
      ends.add(new Part.Refused(refused.reason()));
      return true;
    }
    ends.addAll(committed);
    return !committed.isEmpty() && carriedOut(committed);
  }

  /** Whole first, and apart where something came in between (ADR 39). */
  private Optional<List<Part>> allOrEach(
      String name, EtcdTransactionRequest fence, List<EtcdTransactionRequest> group) {
    // A part alone goes as such: whole, nobody could tell whether it failed or its fence.
    if (group.size() > 1) {
      Optional<TxnResponse> answer = send(name, fence.and(group));
      if (answer.isEmpty()) {
        return Optional.empty();
      }
      if (answer.get().isSucceeded()) {
        return Optional.of(Collections.nCopies(group.size(), new Part.Done()));
      }
    }
    return send(name, fence.with(group))
        .filter(answer -> agreed(name, answer))
        .map(answer -> read(name, answer));
  }

  private static boolean carriedOut(List<Part> ends) {
    return ends.stream().allMatch(Part.Done.class::isInstance);
  }

  /** Nothing is committed into an etcd that is older than what was decided on. */
  private Transaction ofThisTime(Transaction fenced) {
    if (beat.isEmpty()) {
      return fenced;
    }
    List<Compare> compares = new ArrayList<>(fenced.compares());
    compares.add(new Compare.Modified(new Key.Beat(), beat.getAsLong()));
    return new Transaction(fenced.name(), compares, fenced.operations(), fenced.otherwise());
  }

  private static List<Part> read(String name, TxnResponse answer) {
    List<Part> ends = new ArrayList<>();
    for (TxnResponse part : answer.getTxnResponses()) {
      ends.add(part.isSucceeded() ? new Part.Done() : new Part.Lost());
    }
    if (!carriedOut(ends)) {
      log.info("of a group '{}' a part was refused: something changed since", name);
    }
    return ends;
  }

  /** Whether it was committed. */
  private boolean agreed(String name, TxnResponse answer) {
    if (!answer.isSucceeded()) {
      doubtful = true;
      log.info("'{}' was refused: something changed since it was decided", name);
    }
    return answer.isSucceeded();
  }

  /** The answer; empty when nobody knows yet whether it was committed. */
  private Optional<TxnResponse> send(String name, EtcdTransactionRequest etcdTransactionRequest) {
    try {
      TxnResponse answer = etcd.commit(name, etcdTransactionRequest);
      revision = answer.getHeader().getRevision();
      return Optional.of(answer);
    } catch (UnknownOutcomeException unknown) {
      log.warn("the outcome of '{}' is unknown and will be read back", name, unknown);
      unsettled = true;
      doubtful = true;
      return Optional.empty();
    }
  }
}
