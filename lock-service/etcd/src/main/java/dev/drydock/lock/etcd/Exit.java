package dev.drydock.lock.etcd;

import dev.drydock.lock.core.MarkSequence;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.LockEnd;
import dev.drydock.lock.core.txn.Release;
import dev.drydock.lock.core.txn.SessionTransactions;
import dev.drydock.lock.core.txn.Transaction;
import io.etcd.jetcd.kv.TxnResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends session locks and withdraws tickets of one program, in groups. All of it may be repeated:
 * what nobody answered for is sent again, what was refused is looked at again.
 *
 * <p>Locks need a mark and tickets do not, so each have a lane: who leaves the queue does not wait
 * for whoever gives out marks.
 */
final class Exit {
  private static final Logger log = LoggerFactory.getLogger(Exit.class);
  private static final Duration PAUSE = Duration.ofMillis(100);

  /** How long the grantor has to begin with what it would do in our place. */
  private static final Duration HAND_OVER = Duration.ofMillis(100);

  private static final Executor ASIDE = task -> Thread.ofVirtual().start(task);

  /**
   * What goes: a ticket that waits, or the lock it was granted.
   *
   * @param awaited whether somebody waits for one of the hosts
   */
  private record Leaving(
      String id,
      Optional<Release> lock,
      Optional<Ticket> ticket,
      boolean awaited,
      String by,
      String reason,
      long giveUpNanos,
      CompletableFuture<Void> gone)
      implements GroupLane.Item {

    @Override
    public int weight() {
      return 1 + lock.map(release -> 1 + release.outdated().size()).orElse(3);
    }

    @Override
    public int bytes() {
      return 256
          + reason.length()
          + lock.map(release -> 64 * release.lock().value().held().size()).orElse(0);
    }

    /** A record is written or goes, once in a transaction. */
    @Override
    public Set<String> writes() {
      Set<String> written = new HashSet<>();
      lock.ifPresent(
          release -> {
            written.add(release.id());
            release.outdated().forEach(key -> written.add(key.id()));
          });
      return written;
    }

    LockEnd end(long mark) {
      return new LockEnd(lock.orElseThrow(), mark, by, reason);
    }
  }

  private final EtcdConnection etcd;
  private final Mirror mirror;
  private final MarkSequence marks;
  private final Door<Doors.Departure> door;
  private final GroupLane<Leaving> releases;
  private final GroupLane<Leaving> withdrawals;
  private final ConcurrentMap<String, CompletableFuture<Void>> underWay = new ConcurrentHashMap<>();
  private final AtomicLong revision = new AtomicLong();

  Exit(EtcdConnection etcd, Mirror mirror, MarkSequence marks, Door<Doors.Departure> door) {
    this.etcd = etcd;
    this.mirror = mirror;
    this.marks = marks;
    this.door = door;
    GroupLane.Limits limits = etcd.config().groupLimits();
    releases = new GroupLane<>(limits, this::release);
    withdrawals = new GroupLane<>(limits, this::withdraw);
  }

  /** As of this revision all has ended that was said to. */
  long revision() {
    return revision.get();
  }

  /** Done once nothing of {@code id} waits or is locked any more; twice at once is once. */
  CompletableFuture<Void> leave(String id, String by, String reason) {
    long giveUp = System.nanoTime() + etcd.config().budget().toNanos();
    CompletableFuture<Void> gone = new CompletableFuture<>();
    CompletableFuture<Void> before = underWay.putIfAbsent(id, gone);
    if (before != null) {
      return before;
    }
    gone.whenComplete((done, failed) -> underWay.remove(id, gone));
    try {
      found(id, by, reason, giveUp, gone)
          .ifPresentOrElse(leaving -> lane(leaving).add(leaving), () -> gone.complete(null));
    } catch (RuntimeException failed) {
      gone.completeExceptionally(failed);
    }
    return gone;
  }

  private GroupLane<Leaving> lane(Leaving leaving) {
    return leaving.ticket().isPresent() ? withdrawals : releases;
  }

  private Optional<Leaving> found(
      String id, String by, String reason, long giveUp, CompletableFuture<Void> gone) {
    return mirror.ask(
        replica -> {
          Optional<Release> lock = replica.release(id);
          Optional<Ticket> ticket = lock.isPresent() ? Optional.empty() : replica.ticket(id);
          boolean awaited =
              lock.isPresent()
                  && lock.get().lock().value().held().stream()
                      .anyMatch(held -> !replica.waiters().on(held.host()).isEmpty());
          return lock.isEmpty() && ticket.isEmpty()
              ? Optional.empty()
              : Optional.of(new Leaving(id, lock, ticket, awaited, by, reason, giveUp, gone));
        });
  }

  private CompletableFuture<Void> withdraw(List<Leaving> group) {
    return send(
        group,
        withdrawals,
        leaving -> SessionTransactions.withdraw(leaving.ticket().orElseThrow()));
  }

  /** The mark is taken after all effects under these locks, as their holders say they are done. */
  private CompletableFuture<Void> release(List<Leaving> group) {
    // A virtual thread may wait for the mark; etcd's, which goes on with the next group, may not.
    Executor asking = Thread.currentThread().isVirtual() ? Runnable::run : ASIDE;
    return CompletableFuture.supplyAsync(marks::next, asking)
        .handle(
            (mark, noMark) ->
                noMark == null
                    ? end(group, mark)
                    : CompletableFuture.runAsync(
                        () -> again(group, releases, Optional.empty(), noMark), ASIDE))
        .thenCompose(sent -> sent);
  }

  /** By the grantor's hand where that saves the next one a write. */
  private CompletableFuture<Void> end(List<Leaving> group, long mark) {
    Offer offer = new Offer(group.stream().map(leaving -> leaving.end(mark)).toList());
    if (group.stream().noneMatch(Leaving::awaited) || !door.offer(offer)) {
      return endOurselves(group, mark);
    }
    return offer
        .outcome(HAND_OVER)
        .handle((ended, failed) -> handedOver(group, mark, ended, failed))
        .thenCompose(settled -> settled);
  }

  private CompletableFuture<Void> endOurselves(List<Leaving> group, long mark) {
    return send(group, releases, leaving -> leaving.end(mark).transaction());
  }

  private CompletableFuture<Void> handedOver(
      List<Leaving> group, long mark, @Nullable OptionalLong ended, @Nullable Throwable failed) {
    if (ended == null) {
      return CompletableFuture.runAsync(
          () -> again(group, releases, Optional.empty(), failed), ASIDE);
    }
    if (ended.isEmpty()) {
      return endOurselves(group, mark);
    }
    revision.accumulateAndGet(ended.getAsLong(), Math::max);
    group.forEach(leaving -> leaving.gone().complete(null));
    return CompletableFuture.completedFuture(null);
  }

  /** All or none, which is less work for etcd; each for itself where something came in between. */
  private CompletableFuture<Void> send(
      List<Leaving> group, GroupLane<Leaving> lane, Function<Leaving, Transaction> content) {
    return send(Transaction.together("release", group.stream().map(content).toList()))
        .handle(
            (answer, failed) ->
                answer != null && !answer.isSucceeded() && group.size() > 1
                    ? apart(group, lane, content)
                    : settle(group, lane, content, answer, failed))
        .thenCompose(settled -> settled);
  }

  private CompletableFuture<Void> apart(
      List<Leaving> group, GroupLane<Leaving> lane, Function<Leaving, Transaction> content) {
    return send(Transaction.apart("release", group.stream().map(content).toList()))
        .handle((answer, failed) -> settle(group, lane, content, answer, failed))
        .thenCompose(settled -> settled);
  }

  private CompletableFuture<TxnResponse> send(Transaction transaction) {
    return etcd.send(transaction.name(), Request.of(etcd.keys(), transaction));
  }

  private CompletableFuture<Void> settle(
      List<Leaving> group,
      GroupLane<Leaving> lane,
      Function<Leaving, Transaction> content,
      @Nullable TxnResponse answer,
      @Nullable Throwable failed) {
    if (cause(failed) instanceof EtcdRefusedException refused) {
      return refused(group, lane, content, refused);
    }
    Optional<Long> as = Optional.ofNullable(answer).map(one -> one.getHeader().getRevision());
    as.ifPresent(reached -> revision.accumulateAndGet(reached, Math::max));
    List<Leaving> open = answer == null ? group : stillThere(group, answer);
    return open.isEmpty()
        ? CompletableFuture.completedFuture(null)
        : CompletableFuture.runAsync(() -> again(open, lane, as, failed), ASIDE);
  }

  /** Tells those whom etcd let go, all or none where it has no word on each; the others. */
  private static List<Leaving> stillThere(List<Leaving> group, TxnResponse answer) {
    List<TxnResponse> each = answer.getTxnResponses();
    List<Leaving> open = new ArrayList<>();
    for (int i = 0; i < group.size(); i++) {
      TxnResponse word = each.isEmpty() ? answer : each.get(i);
      if (word.isSucceeded()) {
        group.get(i).gone().complete(null);
      } else {
        open.add(group.get(i));
      }
    }
    return open;
  }

  /** Half of them at a time, so that in the end only the faulty one fails. */
  private CompletableFuture<Void> refused(
      List<Leaving> group,
      GroupLane<Leaving> lane,
      Function<Leaving, Transaction> content,
      EtcdRefusedException refused) {
    if (group.size() == 1) {
      group.getFirst().gone().completeExceptionally(refused);
      return CompletableFuture.completedFuture(null);
    }
    log.warn("{} releases are sent by halves: {}", group.size(), refused.getMessage());
    int half = group.size() / 2;
    return send(group.subList(0, half), lane, content)
        .thenCompose(sent -> send(group.subList(half, group.size()), lane, content));
  }

  private static @Nullable Throwable cause(@Nullable Throwable failed) {
    return failed instanceof CompletionException && failed.getCause() != null
        ? failed.getCause()
        : failed;
  }

  private void again(
      List<Leaving> open,
      GroupLane<Leaving> lane,
      Optional<Long> answered,
      @Nullable Throwable failed) {
    if (failed != null) {
      log.warn("a release is sent again: {}", failed.toString());
      pause();
    }
    List<Leaving> left = new ArrayList<>();
    try {
      answered.ifPresent(revision -> mirror.await(revision, etcd.config().budget()));
      for (Leaving leaving : open) {
        if (System.nanoTime() - leaving.giveUpNanos() > 0) {
          leaving.gone().completeExceptionally(gaveUp(leaving, cause(failed)));
        } else {
          found(leaving.id(), leaving.by(), leaving.reason(), leaving.giveUpNanos(), leaving.gone())
              .ifPresentOrElse(left::add, () -> leaving.gone().complete(null));
        }
      }
    } catch (RuntimeException | Error broken) {
      open.forEach(leaving -> leaving.gone().completeExceptionally(broken));
      return;
    }
    lane.again(left.stream().filter(leaving -> lane(leaving) == lane).toList());
    // Whoever waits there for a mark holds up nobody here.
    left.stream()
        .filter(leaving -> lane(leaving) != lane)
        .forEach(other -> ASIDE.execute(() -> lane(other).add(other)));
  }

  private static RuntimeException gaveUp(Leaving leaving, @Nullable Throwable why) {
    return why instanceof RuntimeException cause && !(cause instanceof UnknownOutcomeException)
        ? cause
        : new UnknownOutcomeException("end " + leaving.id(), why);
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }
}
