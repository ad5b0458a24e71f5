package dev.drydock.lock.etcd;

import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.MarkSequence;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.Replica;
import dev.drydock.lock.core.txn.SessionTransactions;
import dev.drydock.lock.core.txn.Transaction;
import io.etcd.jetcd.kv.TxnResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends session locks and withdraws tickets of one program, in groups. All of it may be repeated:
 * what nobody answered for is sent again, what was refused is looked at again.
 */
final class Exit {
  private static final Logger log = LoggerFactory.getLogger(Exit.class);
  private static final Duration PAUSE = Duration.ofMillis(100);

  /** What goes: a ticket that waits, or the locks it was granted. */
  private record Leaving(
      String id,
      List<LockRecord> locks,
      Optional<Ticket> ticket,
      String by,
      String reason,
      long giveUpNanos,
      CompletableFuture<Void> gone)
      implements GroupLane.Item {

    @Override
    public int weight() {
      return 2 * Math.max(1, locks.size());
    }

    @Override
    public int bytes() {
      return 256 + 512 * locks.size();
    }

    Transaction transaction(long mark) {
      return ticket
          .map(SessionTransactions::withdraw)
          .orElseGet(() -> SessionTransactions.release(locks, mark, by, reason));
    }
  }

  private final EtcdConnection etcd;
  private final Mirror mirror;
  private final MarkSequence marks;
  private final GroupLane<Leaving> lane;

  Exit(EtcdConnection etcd, Mirror mirror, MarkSequence marks) {
    this.etcd = etcd;
    this.mirror = mirror;
    this.marks = marks;
    lane = new GroupLane<>(etcd.config().groupLimits(), this::send);
  }

  /** Done once nothing of {@code id} waits or is locked any more. */
  CompletableFuture<Void> leave(String id, String by, String reason) {
    long giveUp = System.nanoTime() + etcd.config().budget().toNanos();
    CompletableFuture<Void> gone = new CompletableFuture<>();
    found(id, by, reason, giveUp, gone).ifPresentOrElse(lane::add, () -> gone.complete(null));
    return gone;
  }

  private Optional<Leaving> found(
      String id, String by, String reason, long giveUp, CompletableFuture<Void> gone) {
    return mirror.ask(
        replica -> {
          List<LockRecord> locks = sessionLocks(replica, id);
          Optional<Ticket> ticket = locks.isEmpty() ? replica.ticket(id) : Optional.empty();
          return locks.isEmpty() && ticket.isEmpty()
              ? Optional.empty()
              : Optional.of(new Leaving(id, locks, ticket, by, reason, giveUp, gone));
        });
  }

  private static List<LockRecord> sessionLocks(Replica replica, String id) {
    return replica.locksOf(id).stream().filter(lock -> lock.kind() == Kind.SESSION).toList();
  }

  private CompletableFuture<Void> send(List<Leaving> group) {
    Transaction transaction;
    try {
      // Taken after all effects under these locks, as their holders say they are done.
      long mark = marks.next();
      transaction =
          SessionTransactions.group(
              "release", group.stream().map(leaving -> leaving.transaction(mark)).toList());
    } catch (RuntimeException noMark) {
      group.forEach(leaving -> leaving.gone().completeExceptionally(noMark));
      return CompletableFuture.completedFuture(null);
    }
    return etcd.send(transaction.name(), Request.of(etcd.keys(), transaction))
        .handle((answer, failed) -> settle(group, answer, failed))
        .thenCompose(settled -> settled);
  }

  private CompletableFuture<Void> settle(
      List<Leaving> group, @Nullable TxnResponse answer, @Nullable Throwable failed) {
    List<Leaving> open = new ArrayList<>();
    for (int i = 0; i < group.size(); i++) {
      if (answer != null && answer.getTxnResponses().get(i).isSucceeded()) {
        group.get(i).gone().complete(null);
      } else {
        open.add(group.get(i));
      }
    }
    if (open.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    return CompletableFuture.runAsync(
        () -> again(open, answer, failed), task -> Thread.ofVirtual().start(task));
  }

  private void again(List<Leaving> open, @Nullable TxnResponse answer, @Nullable Throwable failed) {
    if (failed != null) {
      log.warn("a release is sent again: {}", failed.toString());
      pause();
    }
    List<Leaving> left = new ArrayList<>();
    for (Leaving leaving : open) {
      try {
        if (answer != null) {
          mirror.await(answer.getHeader().getRevision(), etcd.config().budget());
        }
        if (System.nanoTime() - leaving.giveUpNanos() > 0) {
          throw new UnknownOutcomeException("end " + leaving.id(), failed);
        }
        found(leaving.id(), leaving.by(), leaving.reason(), leaving.giveUpNanos(), leaving.gone())
            .ifPresentOrElse(left::add, () -> leaving.gone().complete(null));
      } catch (RuntimeException given) {
        leaving.gone().completeExceptionally(given);
      }
    }
    lane.again(left);
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }
}
