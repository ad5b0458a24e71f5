package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.SessionTransactions;
import dev.drydock.lock.core.txn.Transaction;
import io.etcd.jetcd.kv.TxnResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts the tickets of one session into the queue, in groups. What became of a group that nobody
 * answered for is settled before the next one: the fence is moved, so that it cannot arrive any
 * more, and read is what there is.
 */
final class Entrance {
  private static final Logger log = LoggerFactory.getLogger(Entrance.class);

  /** A ticket on its way in. */
  record Entering(Ticket ticket, CompletableFuture<Long> entered) implements GroupLane.Item {
    @Override
    public int weight() {
      return 1;
    }

    @Override
    public int bytes() {
      return 512 + 64 * ticket.hosts().size();
    }
  }

  private final EtcdConnection etcd;
  private final Mirror mirror;
  private final Awaited awaited;
  private final ClientSession session;
  private final GroupLane<Entering> lane;

  Entrance(EtcdConnection etcd, Mirror mirror, Awaited awaited, ClientSession session) {
    this.etcd = etcd;
    this.mirror = mirror;
    this.awaited = awaited;
    this.session = session;
    lane = new GroupLane<>(etcd.config().groupLimits(), this::send);
  }

  /** A revision as of which it is in the queue; fails when it is certain that it is not. */
  CompletableFuture<Long> enter(Ticket ticket) {
    Entering entering = new Entering(ticket, new CompletableFuture<>());
    lane.add(entering);
    return entering.entered();
  }

  private CompletableFuture<Void> send(List<Entering> group) {
    Transaction transaction =
        SessionTransactions.enter(
            group.stream().map(Entering::ticket).toList(), session.id(), session.fence());
    return etcd.send(transaction.name(), Request.of(etcd.keys(), transaction))
        .handle((answer, failed) -> settle(group, answer, failed))
        .thenCompose(settled -> settled);
  }

  private CompletableFuture<Void> settle(
      List<Entering> group, TxnResponse answer, Throwable failed) {
    if (failed == null) {
      if (answer.isSucceeded()) {
        long revision = answer.getHeader().getRevision();
        group.forEach(entering -> entering.entered().complete(revision));
      } else {
        fail(group, session.gone());
      }
      return CompletableFuture.completedFuture(null);
    }
    return CompletableFuture.runAsync(
        () -> readBack(group, failed), task -> Thread.ofVirtual().start(task));
  }

  private void readBack(List<Entering> group, Throwable failed) {
    log.warn(
        "whether {} tickets entered the queue is read back: {}", group.size(), failed.toString());
    try {
      long revision = session.moveFence();
      mirror.await(revision, etcd.config().budget());
      List<Entering> again = new ArrayList<>();
      for (Entering entering : group) {
        String id = entering.ticket().id();
        boolean entered =
            !awaited.open(id)
                || mirror.ask(
                    replica -> replica.ticket(id).isPresent() || !replica.locksOf(id).isEmpty());
        if (entered) {
          entering.entered().complete(revision);
        } else {
          again.add(entering);
        }
      }
      lane.again(again);
    } catch (RuntimeException unsettled) {
      fail(group, unsettled);
    }
  }

  private static void fail(List<Entering> group, RuntimeException why) {
    group.forEach(entering -> entering.entered().completeExceptionally(why));
  }
}
