package dev.drydock.lock.etcd;

import dev.drydock.lock.core.SessionIds;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import dev.drydock.lock.core.txn.TableCopy;
import dev.drydock.proto.clock.BootClock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Java program among the clients of the lock service. All its locks live by one lease, renewed
 * while the program lives, so that a lock costs no lease of its own. Waits block; meant for virtual
 * threads. Safe for use by many threads.
 */
public final class LockClient implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LockClient.class);

  /** How long etcd and the grantor may take beyond what was asked for. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  private final EtcdConnection etcd;
  private final Mirror mirror;
  private final InstantSource clock;
  private final ClientSession session;
  private final Awaited awaited;
  private final Entrance entrance;
  private final Exit exit;
  private final AtomicLong numbers = new AtomicLong();

  private LockClient(ClientParts parts, ClientSession session) {
    etcd = parts.etcd();
    mirror = parts.mirror();
    clock = parts.clock();
    this.session = session;
    awaited = new Awaited(etcd, session);
    entrance = new Entrance(etcd, mirror, awaited, session, parts.doors().guests(), parts.timer());
    exit = new Exit(etcd, mirror, parts.marks(), parts.doors().departures());
  }

  static LockClient open(ClientParts parts, Duration timeToLive) {
    LockClient client =
        new LockClient(parts, ClientSession.open(parts.etcd(), BootClock.system(), timeToLive));
    parts.mirror().follow(client.awaited);
    client.session.whenOver(() -> client.awaited.fail(client.session.gone()));
    return client;
  }

  /**
   * What is asked for.
   *
   * @param hosts all or none of them
   * @param holder for people: on whose behalf
   * @param reason for people: what for
   * @param patience how long to wait; zero for a try, which is answered there and then
   */
  public record Request(List<String> hosts, String holder, String reason, Duration patience) {
    public Request {
      hosts = hosts.stream().sorted().distinct().toList();
      if (hosts.isEmpty()) {
        throw new IllegalArgumentException("a lock needs at least one host");
      }
    }
  }

  /** The lock was not granted; the message says why. */
  public static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    RefusedException(String reason) {
      super(reason);
    }
  }

  /**
   * Waits for its turn and locks all hosts.
   *
   * @throws RefusedException when it was a try and something stood in the way, or patience ran out
   * @throws TicketTooLargeException when so many hosts can never be locked at once
   * @throws SessionLostException when this client's lease ran out meanwhile, as soon as it did
   * @throws UnknownOutcomeException when etcd does not answer; the ticket leaves the queue as soon
   *     as it does, and a lock that was granted meanwhile ends
   */
  public HeldLock acquire(Request request) throws RefusedException, InterruptedException {
    Ticket ticket = ticket(request);
    TicketTooLargeException.check(etcd, ticket);
    CompletableFuture<Awaited.Answer> answer = awaited.expect(ticket.id());
    Entrance.Entering entering = entrance.enter(ticket, exit.revision());
    entering.entered().exceptionally(failed -> failed(answer, failed));
    Duration unanswered = etcd.config().budget().plus(GRACE);
    long begun = System.nanoTime();
    try {
      try {
        CompletableFuture.anyOf(entering.taken(), answer)
            .get(unanswered.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException late) {
        withdraw(ticket, entering);
        throw new UnknownOutcomeException("take ticket " + ticket.id(), late);
      }
      // Its own patience is measured here: nobody else's clock takes its place.
      Duration longest = request.patience().isZero() ? unanswered : request.patience();
      Duration left = longest.minusNanos(System.nanoTime() - begun);
      long millis = Math.max(1, left.toMillis());
      Awaited.Answer came = answer.get(millis, TimeUnit.MILLISECONDS);
      entering.answered();
      return held(request, ticket, came);
    } catch (TimeoutException late) {
      String why = whyItWaits(ticket);
      settle(withdraw(ticket, entering));
      throw new RefusedException("not granted in time: " + why);
    } catch (InterruptedException stop) {
      withdraw(ticket, entering);
      throw stop;
    } catch (ExecutionException failed) {
      withdraw(ticket, entering);
      throw failed.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException(failed);
    } finally {
      awaited.forget(ticket.id());
    }
  }

  /** Who never gets into the queue gets no answer from anybody else. */
  private static long failed(CompletableFuture<Awaited.Answer> answer, Throwable why) {
    answer.completeExceptionally(why);
    return 0;
  }

  /** Nobody waits any more, neither for the ticket nor for what it may be granted meanwhile. */
  private CompletableFuture<Void> withdraw(Ticket ticket, Entrance.Entering entering) {
    entering.forget();
    return entering
        .entered()
        .thenAcceptAsync(
            revision -> leave(ticket, revision), task -> Thread.ofVirtual().start(task));
  }

  /** Mostly it is gone before its owner goes on; else it goes on behind. */
  private static void settle(CompletableFuture<Void> withdrawal) throws InterruptedException {
    try {
      withdrawal.get(GRACE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException later) {
      log.debug("a ticket is still being withdrawn", later);
    }
  }

  private String whyItWaits(Ticket ticket) {
    return mirror
        .ask(
            replica ->
                replica
                    .ticket(ticket.id())
                    .map(there -> TableCopy.place(replica, there, etcd.config().backfill())))
        .map(place -> place.get().explanation())
        .filter(explanation -> !explanation.isEmpty())
        .orElse("nothing is in its way, but no grantor decided about it");
  }

  /** Until etcd answers, or the session ends and the ticket with it. */
  private void leave(Ticket ticket, long entered) {
    BackOff pauses = new BackOff();
    while (session.valid()) {
      try {
        mirror.await(entered, etcd.config().budget());
        exit.leave(ticket.id(), ticket.holder(), "nobody waits any more").join();
        return;
      } catch (RuntimeException | Error failed) {
        log.warn("ticket {} could not be withdrawn yet: {}", ticket.id(), failed.toString());
        pauses.rest();
      }
    }
  }

  private HeldLock held(Request request, Ticket ticket, Awaited.Answer answer)
      throws RefusedException {
    return switch (answer) {
      case Awaited.Answer.Granted(long token) ->
          new HeldLock(
              new HeldLock.Grant(ticket.id(), request.hosts(), token, request.holder()),
              session,
              mirror,
              exit);
      case Awaited.Answer.Refused(String reason) -> throw new RefusedException(reason);
    };
  }

  private Ticket ticket(Request request) {
    if (!session.valid()) {
      throw session.gone();
    }
    int seconds = Math.toIntExact(request.patience().toSeconds());
    return new Ticket(
        SessionIds.ticket(session.id(), numbers.incrementAndGet()),
        request.patience().isZero() ? Mode.TRY : Mode.WAIT,
        request.hosts(),
        List.of(),
        request.holder(),
        request.reason(),
        clock.instant().plus(request.patience()).plus(etcd.config().callTimeout()),
        seconds,
        session.leaseSeconds());
  }

  /** How many tickets wait, as far as this process knows. For tests. */
  int waiters() {
    return mirror.ask(replica -> replica.waiters().all().size());
  }

  /** How many are about to enter the queue a moment later. For tests. */
  int heldBack() {
    return entrance.heldBack();
  }

  /** Whether the locks of this client certainly still exclude others. */
  public boolean valid() {
    return session.valid();
  }

  /**
   * Gives up the session: its tickets leave the queue, and its locks are not valid any more. Those
   * that were not released go on excluding for one lease, as work under them may.
   */
  @Override
  public void close() {
    mirror.unfollow(awaited);
    session.close();
  }
}
