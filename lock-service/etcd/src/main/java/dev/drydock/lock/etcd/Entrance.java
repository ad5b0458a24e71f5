package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.SessionTransactions;
import dev.drydock.lock.core.txn.Transaction;
import io.etcd.jetcd.kv.TxnResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts the tickets of one session into the queue, in groups. What became of a group that nobody
 * answered for is settled before the next one, for as long as the session lives: the fence is
 * moved, so that it cannot arrive any more, and read is what there is.
 */
final class Entrance {
  private static final Logger log = LoggerFactory.getLogger(Entrance.class);

  /** A ticket on its way in. */
  record Entering(Ticket ticket, CompletableFuture<Long> entered, AtomicBoolean wanted)
      implements GroupLane.Item {

    /** Nobody waits for it any more: it need not be sent if it was not yet. */
    void forget() {
      wanted.set(false);
    }

    private boolean toSend() {
      return wanted.get() && !entered.isDone();
    }

    /** Its client knows what became of it. */
    void answered() {
      entered.complete(0L);
    }

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

  /**
   * Enters in time. What it came to is known at the end of {@link Entering#entered}: with a
   * revision as of which the ticket was in the queue; or it fails when it certainly never will be,
   * or not for longer than the session.
   */
  Entering enter(Ticket ticket) {
    Entering entering = new Entering(ticket, new CompletableFuture<>(), new AtomicBoolean(true));
    lane.add(entering);
    return entering;
  }

  private CompletableFuture<Void> send(List<Entering> all) {
    Map<Boolean, List<Entering>> wanted =
        all.stream().collect(Collectors.partitioningBy(Entering::toSend));
    fail(
        wanted.getOrDefault(false, List.of()),
        new CancellationException("nobody waits for it any more"));
    List<Entering> group = wanted.getOrDefault(true, List.of());
    if (group.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    Transaction transaction =
        SessionTransactions.enter(
            group.stream().map(Entering::ticket).toList(), session.id(), session.fence());
    return etcd.send(transaction.name(), Request.of(etcd.keys(), transaction))
        .handle((answer, failed) -> settle(group, answer, failed))
        .thenCompose(settled -> settled);
  }

  private CompletableFuture<Void> settle(
      List<Entering> group, @Nullable TxnResponse answer, @Nullable Throwable failed) {
    if (answer != null && answer.isSucceeded()) {
      long revision = answer.getHeader().getRevision();
      group.forEach(entering -> entering.entered().complete(revision));
      return CompletableFuture.completedFuture(null);
    }
    Throwable cause = failed instanceof CompletionException ? failed.getCause() : failed;
    if (cause instanceof EtcdRefusedException refused) {
      return refused(group, refused);
    }
    Throwable why = failed == null ? new IllegalStateException("the fence was moved") : failed;
    return CompletableFuture.runAsync(
        () -> settle(group, why), task -> Thread.ofVirtual().start(task));
  }

  /** Each alone, so that only the faulty one fails. */
  private CompletableFuture<Void> refused(List<Entering> group, EtcdRefusedException refused) {
    if (group.size() == 1) {
      fail(group, refused);
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> sent = CompletableFuture.completedFuture(null);
    for (Entering entering : group) {
      sent = sent.thenCompose(before -> send(List.of(entering)));
    }
    return sent;
  }

  private void settle(List<Entering> group, Throwable why) {
    log.warn("whether {} tickets entered the queue is read back: {}", group.size(), why.toString());
    BackOff pauses = new BackOff();
    while (session.valid()) {
      try {
        readBack(group);
        return;
      } catch (SessionLostException lost) {
        break;
      } catch (RuntimeException | Error unsettled) {
        log.warn(
            "what became of {} tickets is not known yet: {}", group.size(), unsettled.toString());
        pauses.rest();
      }
    }
    fail(group, session.gone());
  }

  private void readBack(List<Entering> group) {
    long revision = session.moveFence();
    mirror.await(revision, etcd.config().budget());
    List<Entering> again = new ArrayList<>();
    for (Entering entering : group) {
      String id = entering.ticket().id();
      boolean there =
          mirror.ask(replica -> replica.ticket(id).isPresent() || !replica.locksOf(id).isEmpty());
      // In this order: whoever came and went by now got an answer before.
      if (there || awaited.answered(id) || entering.entered().isDone() || told(id)) {
        entering.entered().complete(revision);
      } else {
        again.add(entering);
      }
    }
    lane.again(again);
  }

  /** What was said of it while the mirror was away: it came and went. */
  private boolean told(String id) {
    return etcd.repeat(() -> etcd.get(new Key.Verdict(id))).isPresent();
  }

  private static void fail(List<Entering> group, RuntimeException why) {
    group.forEach(entering -> entering.entered().completeExceptionally(why));
  }
}
