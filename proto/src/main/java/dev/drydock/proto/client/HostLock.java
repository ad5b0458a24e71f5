package dev.drydock.proto.client;

import dev.drydock.api.Lock;
import dev.drydock.api.LockState;
import dev.drydock.api.TicketRequest;
import dev.drydock.proto.clock.BootClock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One request for hosts, from the place in the queue to the release:
 *
 * <pre>{@code
 * HostLock lock = HostLock.of(client, request, BootClock.system());
 * Lock answer = lock.await(Duration.ofMinutes(5), waiting -> show(waiting.getExplanation()));
 * if (answer.getState() == LockState.Held) {
 *   try (LeaseKeeper keeper = lock.keep(margin, listener)) {
 *     work();
 *   }
 *   lock.release("done");
 * }
 * }</pre>
 *
 * <p>Give it a client with a short call time-out and no retries: it repeats by itself, and knows
 * for how long. Used by one thread; only {@link #release} may come from another.
 */
public final class HostLock {
  private static final Duration LOOK_FIRST = Duration.ofMillis(100);
  private static final Duration LOOK_MAX = Duration.ofSeconds(1);
  private static final Duration RELEASE_MAX = Duration.ofSeconds(10);

  private final DrydockClient client;
  private final TicketRequest request;
  private final BootClock clock;
  private volatile @Nullable String id;

  /** Whether the server may have something of it that nobody ended yet. */
  private boolean stands;

  private boolean released;

  /**
   * Sent at this time since boot, the last look found the ticket waiting; before the first look,
   * what may have brought it into the queue was sent then.
   */
  private Duration waited;

  /** Told how the waiting goes. */
  @FunctionalInterface
  public interface Look {
    /** A look found the ticket waiting. */
    void waiting(Lock lock);

    /** There was no answer; it is asked again. */
    default void away(CallException why) {}
  }

  private HostLock(DrydockClient client, TicketRequest request, BootClock clock) {
    this.client = client;
    this.request = request;
    this.clock = clock;
    this.waited = clock.sinceBoot();
  }

  /**
   * Nothing is sent yet. A request without an id of its own gets one, so that it may be sent again.
   */
  public static HostLock of(DrydockClient client, TicketRequest request, BootClock clock) {
    if (!request.hasRequestId()) {
      request.setRequestId(UUID.randomUUID().toString());
    }
    return new HostLock(client, request, clock);
  }

  /** The ticket's id, and the lock's; empty as long as no answer told it. */
  public Optional<String> id() {
    return Optional.ofNullable(id);
  }

  /**
   * Takes the ticket, waits for the turn and keeps the place meanwhile, also while the server is
   * away: before it answered for as long as {@code longest}, then for less than the ticket's wait.
   * After a failure {@link #release} gives back what may have entered the queue.
   *
   * @param longest after which the queue is left; zero asks once
   * @return Held, Refused, or Waiting when {@code longest} is over
   * @throws CallException when it is refused, or the server does not answer in time
   */
  public Lock await(Duration longest, Look look) throws InterruptedException {
    Duration end = clock.sinceBoot().plus(longest);
    String ticket = ask(end, look);
    Duration renewed = waited;
    Duration pause = LOOK_FIRST;
    while (true) {
      Duration sent = clock.sinceBoot();
      try {
        Lock lock = client.lock(ticket);
        if (lock.getState() != LockState.Waiting) {
          if (lock.getState() == LockState.Refused || lock.getState() == LockState.Ended) {
            undone();
          }
          return lock;
        }
        waited = sent;
        look.waiting(lock);
        if (sent.compareTo(end) >= 0) {
          release("waited for " + longest.toSeconds() + " s");
          return lock;
        }
        if (sent.minus(renewed).compareTo(Duration.ofSeconds(request.getWaitSeconds()).dividedBy(4))
            >= 0) {
          client.renewLock(ticket);
          renewed = sent;
        }
      } catch (CallException away) {
        // Granted meanwhile is no failure of a renewal; the next look tells.
        if (away.status() != 409) {
          bear(away, end, look);
        }
      }
      Thread.sleep(pause);
      pause = longer(pause);
    }
  }

  /** The same request again until it is answered: what it did is known by its requestId. */
  private String ask(Duration end, Look look) throws InterruptedException {
    Duration pause = LOOK_FIRST;
    while (true) {
      boolean stood = sending();
      try {
        String ticket = client.createTicket(request);
        id = ticket;
        return ticket;
      } catch (CallException away) {
        if (!stood && away.isUndone()) {
          undone();
        }
        bear(away, end, look);
      }
      Thread.sleep(pause);
      pause = longer(pause);
    }
  }

  /** Answers whether an earlier attempt may have entered the queue. */
  private synchronized boolean sending() {
    if (released) {
      throw new CallException(0, "RELEASED", "the request was given back meanwhile", List.of());
    }
    boolean stood = stands;
    if (!stood) {
      stands = true;
      waited = clock.sinceBoot();
    }
    return stood;
  }

  private synchronized void undone() {
    stands = false;
  }

  private void bear(CallException away, Duration end, Look look) {
    if (!away.isTemporary() || clock.sinceBoot().compareTo(end) >= 0) {
      throw away;
    }
    look.away(away);
  }

  private static Duration longer(Duration pause) {
    return pause.multipliedBy(2).compareTo(LOOK_MAX) < 0 ? pause.multipliedBy(2) : LOOK_MAX;
  }

  /**
   * Makes sure of a held lock, and renews it until closed.
   *
   * @param margin the listener is told this long before the lease can be over
   * @throws CallException when the lock is lost already, or the server does not answer in time
   */
  public LeaseKeeper keep(Duration margin, LeaseKeeper.Listener listener)
      throws InterruptedException {
    Duration lease = Duration.ofSeconds(request.getLeaseSeconds());
    Optional<Duration> maximum =
        request.getMaxSeconds() > 0
            ? Optional.of(waited.plusSeconds(request.getMaxSeconds()).minus(margin))
            : Optional.empty();
    String held = known();
    Duration renewed = repeat(() -> client.renewLock(held), waited.plus(lease).minus(margin));
    return new LeaseKeeper(
        client, held, clock, new LeaseKeeper.Terms(lease, margin, renewed, maximum), listener);
  }

  /** Until it is answered, or the time is over; answers when what was answered was sent. */
  private Duration repeat(Runnable call, Duration until) throws InterruptedException {
    while (true) {
      Duration sent = clock.sinceBoot();
      try {
        call.run();
        return sent;
      } catch (CallException away) {
        if (!away.isTemporary() || sent.compareTo(until) >= 0) {
          throw away;
        }
        Thread.sleep(LOOK_FIRST);
      }
    }
  }

  /**
   * Ends the lock, or leaves the queue; what entered it without an answer is found by asking once
   * more. From then on nothing is asked for.
   *
   * @throws CallException when it is refused, or the server does not answer for ten seconds
   */
  public void release(String reason) {
    synchronized (this) {
      released = true;
      if (!stands) {
        return;
      }
    }
    try {
      repeat(() -> client.releaseLock(known(), reason), clock.sinceBoot().plus(RELEASE_MAX));
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new CallException(
          CallException.INTERRUPTED, "interrupted before it was given back", stop);
    }
    undone();
  }

  /** The server answers the ticket of the same request, if there is one. */
  private String known() {
    String known = Objects.requireNonNullElseGet(id, () -> client.createTicket(request));
    id = known;
    return known;
  }
}
