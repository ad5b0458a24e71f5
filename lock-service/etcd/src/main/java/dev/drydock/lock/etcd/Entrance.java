package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Replica;
import dev.drydock.lock.core.txn.SessionTransactions;
import dev.drydock.lock.core.txn.Transaction;
import io.etcd.jetcd.kv.TxnResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts the tickets of one session into the queue, in groups; not that of whoever finds its hosts
 * free and the grantor in this process, who is granted without one. What became of a group that
 * nobody answered for is settled before the next one, for as long as the session lives: the fence
 * is moved, so that it cannot arrive any more, and read is what there is.
 */
final class Entrance {
  private static final Logger log = LoggerFactory.getLogger(Entrance.class);

  /** No less than this lies between the turns of two who want the same host. */
  private static final Duration TURN = Duration.ofNanos(500_000);

  /** Nobody is held back for longer. */
  private static final Duration HELD_BACK_MAX = Duration.ofMillis(10);

  /** A ticket on its way in, or what becomes a lock without being one. */
  final class Entering implements GroupLane.Item, Doors.Guest {
    private final Ticket ticket;
    private final long since;
    private final CompletableFuture<Long> entered = new CompletableFuture<>();
    private volatile boolean wanted = true;
    private volatile boolean doubtful;
    private boolean walkedIn;

    private Entering(Ticket ticket, long since) {
      this.ticket = ticket;
      this.since = since;
    }

    @Override
    public Ticket ticket() {
      return ticket;
    }

    @Override
    public long since() {
      return since;
    }

    CompletableFuture<Long> entered() {
      return entered;
    }

    /** Done once it is up to the grantor; etcd need not have answered who walked in. */
    CompletableFuture<?> taken() {
      return walkedIn ? CompletableFuture.completedFuture(ticket) : entered;
    }

    /** Nobody waits for it any more: it need not be sent if it was not yet. */
    void forget() {
      wanted = false;
    }

    @Override
    public boolean wanted() {
      if (!wanted && !doubtful) {
        entered.completeExceptionally(new CancellationException("nobody waits for it any more"));
      }
      return !entered.isDone();
    }

    @Override
    public void granted(long revision) {
      entered.complete(revision);
    }

    @Override
    public void turnedBack() {
      lane.add(this);
    }

    @Override
    public void unsettled() {
      doubtful = true;
      lane.add(this);
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
  private final Door<Doors.Guest> door;
  private final GroupLane<Entering> lane;
  private final Gathering<Entering> latecomers;

  Entrance(
      EtcdConnection etcd,
      Mirror mirror,
      Awaited awaited,
      ClientSession session,
      Door<Doors.Guest> door,
      Gathering.Timer timer) {
    this.etcd = etcd;
    this.mirror = mirror;
    this.awaited = awaited;
    this.session = session;
    this.door = door;
    lane = new GroupLane<>(etcd.config().groupLimits(), this::send);
    latecomers = new Gathering<>(lane::add, timer);
  }

  /**
   * Enters in time. What it came to is known at the end of {@link Entering#entered}: with a
   * revision as of which the ticket was in the queue; or it fails when it certainly never will be,
   * or not for longer than the session.
   *
   * @param since revision of what its client knows: a host it released by then is free
   */
  Entering enter(Ticket ticket, long since) {
    // A grantor that has not heard of the session yet would take its client for dead.
    Entering entering = new Entering(ticket, Math.max(since, session.fence()));
    Found found =
        mirror.ask(replica -> new Found(before(replica, ticket), taken(replica, ticket, since)));
    entering.walkedIn = found.free() && door.offer(entering);
    if (!entering.walkedIn) {
      // Whoever has hardly any patience has none for this.
      enter(entering, ticket.waitSeconds() > 0 ? found.before() : 0);
    }
    return entering;
  }

  /** How many wait before somebody, and whether one of its hosts is locked. */
  private record Found(int before, boolean taken) {
    boolean free() {
      return before == 0 && !taken;
    }
  }

  /**
   * Whoever comes behind others has no turn before they had theirs, so that it may well come a
   * moment later, with others: each transaction of these keeps those who have their turn waiting.
   */
  private void enter(Entering entering, int before) {
    if (before < 2) {
      lane.add(entering);
    } else {
      Duration turns = TURN.multipliedBy(before - 1); // To enter takes one as well.
      latecomers.add(entering, turns.compareTo(HELD_BACK_MAX) < 0 ? turns : HELD_BACK_MAX);
    }
  }

  int heldBack() {
    return latecomers.size();
  }

  private static boolean taken(Replica replica, Ticket ticket, long since) {
    return replica.revision() >= since && ticket.hosts().stream().anyMatch(replica::excluded);
  }

  /** How many wait for the host that most wait for. */
  private static int before(Replica replica, Ticket ticket) {
    return ticket.hosts().stream()
        .mapToInt(host -> replica.waiters().on(host).size())
        .max()
        .orElse(0);
  }

  private CompletableFuture<Void> send(List<Entering> all) {
    List<Entering> group = all.stream().filter(Entering::wanted).toList();
    if (group.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    if (group.stream().anyMatch(entering -> entering.doubtful)) {
      group.forEach(entering -> entering.doubtful = false);
      return settled(group, new IllegalStateException("the grantor does not know"));
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
    return settled(group, why);
  }

  private CompletableFuture<Void> settled(List<Entering> group, Throwable why) {
    return CompletableFuture.runAsync(
        () -> settle(group, why), task -> Thread.ofVirtual().start(task));
  }

  /** Half of them at a time, so that in the end only the faulty one fails. */
  private CompletableFuture<Void> refused(List<Entering> group, EtcdRefusedException refused) {
    if (group.size() == 1) {
      fail(group, refused);
      return CompletableFuture.completedFuture(null);
    }
    int half = group.size() / 2;
    return send(group.subList(0, half))
        .thenCompose(sent -> send(group.subList(half, group.size())));
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
